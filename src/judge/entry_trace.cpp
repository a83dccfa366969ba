#include "judge/entry_trace.h"

#include <algorithm>

#include "judge/atoms.h"
#include "judge/remarks.h"

namespace memuse::judge {
namespace {

TextRange range_of(const Spot& spot) {
  return {spot.begin, spot.end};
}

/// Answers questions about one entry; built per entry, holds what is asked again and again.
class EntryTracer {
 public:
  EntryTracer(const EpisodeRecord& record, const TracedEntry& entry) : record_(record), entry_(entry) {}

  EntryTrace read();

 private:
  void read_mentions();
  void read_openings();
  void read_value(const TracedValue& value);
  void read_words(const TracedValue& value, bool weak, std::uint32_t environment_from);
  void read_actions(const TracedValue& value, bool weak, std::uint32_t environment_from);
  [[nodiscard]] bool derived(const TracedValue& value) const;
  [[nodiscard]] std::uint32_t environment_from(const TracedValue& value) const;
  [[nodiscard]] bool counts(const TracedValue& value, bool needs_mention, const Spot& spot) const;
  [[nodiscard]] bool named(std::uint32_t step) const { return named_in(trace_.mentions, step); }
  [[nodiscard]] bool turned_down(std::uint32_t step) const { return turned_down_in(trace_.mentions, step); }
  [[nodiscard]] bool tied(const TracedValue& value, std::uint32_t step) const;
  [[nodiscard]] bool sibling_named_instead(const TracedValue& value, std::uint32_t step) const;
  [[nodiscard]] static bool named_in(const std::vector<Mention>& mentions, std::uint32_t step);
  [[nodiscard]] bool turned_down_in(const std::vector<Mention>& mentions, std::uint32_t step) const;
  [[nodiscard]] std::string_view clause_of(const Mention& mention) const;

  const EpisodeRecord& record_;
  const TracedEntry& entry_;
  EntryTrace trace_;
  std::vector<Sighting> looked_for_;  ///< carried, but only by commands that look for text
};

std::pair<std::vector<Mention>::const_iterator, std::vector<Mention>::const_iterator> mentions_at(
    const std::vector<Mention>& mentions, std::uint32_t step) {
  const auto first = std::partition_point(mentions.begin(), mentions.end(),
                                          [&](const Mention& mention) { return mention.step < step; });
  const auto past =
      std::partition_point(first, mentions.end(), [&](const Mention& mention) { return mention.step == step; });
  return {first, past};
}

bool EntryTracer::named_in(const std::vector<Mention>& mentions, std::uint32_t step) {
  const auto [first, past] = mentions_at(mentions, step);
  return first != past;
}

std::string_view EntryTracer::clause_of(const Mention& mention) const {
  const std::string_view text = record_.index.text(mention.spot);
  const TextRange clause = clause_around(text, range_of(mention.spot));
  return text.substr(clause.begin, clause.end - clause.begin);
}

bool EntryTracer::turned_down_in(const std::vector<Mention>& mentions, std::uint32_t step) const {
  const auto [first, past] = mentions_at(mentions, step);
  return std::any_of(first, past,
                     [&](const Mention& mention) { return !mention.in_action && turns_down(clause_of(mention)); });
}

/// The agent gives the number and the entry in one clause.
bool EntryTracer::tied(const TracedValue& value, std::uint32_t step) const {
  const auto [first, past] = mentions_at(trace_.mentions, step);
  return std::any_of(first, past, [&](const Mention& mention) {
    if (mention.in_action) return false;
    const std::string_view clause = clause_of(mention);
    const std::vector<Atom> atoms = atoms_of(clause);
    return std::any_of(atoms.begin(), atoms.end(), [&](const Atom& atom) {
      return atom.kind == AtomKind::number &&
             canonical_atom(clause.substr(atom.begin, atom.end - atom.begin), atom.kind) == value.text;
    });
  });
}

/// Another entry of the same delivery holds the value too, and it is the one that the agent names.
bool EntryTracer::sibling_named_instead(const TracedValue& value, std::uint32_t step) const {
  if (named(step)) return false;
  for (const PatternId form : value.forms) {
    const Occurrences& here = record_.index.of(form);
    for (const std::vector<Spot>* spots : {&here.memory, &here.teasers}) {
      const auto first = std::partition_point(spots->begin(), spots->end(), [&](const Spot& spot) {
        return record_.index.place(spot).from < entry_.first;
      });
      for (auto spot = first; spot != spots->end() && record_.index.place(*spot).from == entry_.first; ++spot) {
        const Exposure& other = record_.index.exposures()[record_.index.place(*spot).part];
        if (other.delivery != entry_.delivery || other.entry == entry_.entry) continue;
        for (const std::string_view identifier : other.identifiers) {
          const std::vector<Mention>& mentions = record_.mentions.of(identifier);
          if (named_in(mentions, step) && !turned_down_in(mentions, step)) return true;
        }
      }
    }
  }
  return false;
}

/// A name that anyone would form from names that were known.
bool EntryTracer::derived(const TracedValue& value) const {
  return value.kind == ValueKind::symbol &&
         std::all_of(value.parts.begin(), value.parts.end(),
                     [&](std::uint64_t part) { return record_.index.part_known(part, entry_.first); });
}

/// The first step after the delivery whose input got the value from the environment; kNever if there is none.
std::uint32_t EntryTracer::environment_from(const TracedValue& value) const {
  std::uint32_t from = kNever;
  for (const PatternId form : value.known_forms) {
    const std::vector<Spot>& spots = record_.index.of(form).environment;
    const auto spot = std::partition_point(spots.begin(), spots.end(), [&](const Spot& candidate) {
      return record_.index.place(candidate).from <= entry_.first;
    });
    if (spot != spots.end()) from = std::min(from, record_.index.place(*spot).from);
  }
  return from;
}

/// Whether an action that holds the value shows that the entry shaped it.
bool EntryTracer::counts(const TracedValue& value, bool needs_mention, const Spot& spot) const {
  const std::uint32_t step = record_.index.place(spot).step;
  if (value.kind == ValueKind::plain_number) return tied(value, step) && !turned_down(step);
  if (needs_mention) return named(step) && !turned_down(step);
  return !sibling_named_instead(value, step);
}

void EntryTracer::read_actions(const TracedValue& value, bool weak, std::uint32_t environment_from) {
  const std::vector<Spot> spots = task_actions(record_, value.forms, entry_.first, entry_.last);
  bool looked = false;
  for (const Spot& spot : spots) {
    const std::uint32_t step = record_.index.place(spot).step;
    // An action that carried it before the environment showed it made the environment an echo.
    const bool own = record_.index.place(spots.front()).step < environment_from;
    const bool independent = environment_from <= step && !own;
    if (!counts(value, weak || independent, spot)) continue;
    const CommandText& command = record_.commands.at(record_.index.place(spot).text);
    if (!command.is_look_up(range_of(spot))) {
      trace_.carried.push_back({&value, step, spot});
      return;
    }
    if (!looked) looked_for_.push_back({&value, step, spot});
    looked = true;
  }
}

void EntryTracer::read_words(const TracedValue& value, bool weak, std::uint32_t environment_from) {
  if (weak || value.kind == ValueKind::plain_number) return;
  std::optional<Spot> earliest;
  for (const PatternId form : value.forms) {
    const std::vector<Spot>& spots = record_.index.of(form).words;
    const auto spot = std::partition_point(spots.begin(), spots.end(), [&](const Spot& candidate) {
      return record_.index.place(candidate).step < entry_.first;
    });
    if (spot == spots.end()) continue;
    const std::uint32_t step = record_.index.place(*spot).step;
    if (step > entry_.last || step >= environment_from) continue;
    if (!earliest || step < record_.index.place(*earliest).step) earliest = *spot;
  }
  if (earliest) trace_.said.push_back({&value, record_.index.place(*earliest).step, *earliest});
}

void EntryTracer::read_value(const TracedValue& value) {
  const std::optional<KnownFrom> known = known_before(record_, entry_, value.known_forms);
  if (known) {
    trace_.known.emplace_back(&value, *known);
    return;
  }
  const bool weak = value.weak || derived(value);
  trace_.novel.push_back(&value);
  trace_.novel_weak.push_back(weak);
  const std::uint32_t from = environment_from(value);
  read_actions(value, weak, from);
  read_words(value, weak, from);
}

void EntryTracer::read_mentions() {
  for (const std::string_view identifier : entry_.identifiers) {
    for (const Mention& mention : record_.mentions.of(identifier)) {
      if (mention.step >= entry_.first && mention.step <= entry_.last) trace_.mentions.push_back(mention);
    }
  }
  std::stable_sort(trace_.mentions.begin(), trace_.mentions.end(),
                   [](const Mention& a, const Mention& b) { return a.step < b.step; });
  const std::vector<Step>& steps = record_.episode.steps;
  const Step& first = steps[entry_.first - 1];
  const bool on_all = speaks_of_notes(first.response) || speaks_of_notes(first.reasoning);
  if (on_all && !record_.mentions.names_any(entry_.first)) trace_.remark_on_all = entry_.first;
}

void EntryTracer::read_openings() {
  std::vector<std::uint32_t> longer;
  if (entry_.item) {
    for (const std::uint32_t id : record_.index.exposures_of(*entry_.item)) {
      const Exposure& exposure = record_.index.exposures()[id];
      if (exposure.text.size() > entry_.text.size()) longer.push_back(exposure.opened_by);
    }
  }
  std::sort(longer.begin(), longer.end());
  for (const Mention& mention : trace_.mentions) {
    if (!mention.in_action) continue;
    const Place& place = record_.index.place(mention.spot);
    const bool brought = std::binary_search(longer.begin(), longer.end(), mention.step);
    const std::string_view name = record_.episode.steps[place.step - 1].actions[place.part].name;
    if (!brought && !record_.commands.at(place.text).opens_entry(name, range_of(mention.spot))) continue;
    trace_.openings.push_back(mention);
    if (brought && (trace_.opened.empty() || trace_.opened.back() != mention.step))
      trace_.opened.push_back(mention.step);
  }
}

EntryTrace EntryTracer::read() {
  read_mentions();
  read_openings();
  for (const TracedValue& value : record_.values.of(entry_.delivery, entry_.entry)) read_value(value);
  if (trace_.carried.empty()) trace_.carried = std::move(looked_for_);
  return std::move(trace_);
}

}  // namespace

EpisodeRecord::EpisodeRecord(const Episode& source, const EpisodeSpans& spans)
    : episode(source),
      values(source, spans),
      index(source, values.table(), values.parts()),
      mentions(index, values.identifiers()),
      memory_actions(source) {
  for (const Place& place : index.places()) {
    if (place.kind == PlaceKind::action) commands.try_emplace(place.text, index.text(place.text));
  }
}

std::vector<Spot> task_actions(const EpisodeRecord& record, const std::vector<PatternId>& forms, std::uint32_t first,
                               std::uint32_t last) {
  std::vector<Spot> found;
  for (const PatternId form : forms) {
    const std::vector<Spot>& spots = record.index.of(form).actions;
    auto spot = std::partition_point(spots.begin(), spots.end(),
                                     [&](const Spot& candidate) { return record.index.place(candidate).step < first; });
    for (; spot != spots.end() && record.index.place(*spot).step <= last; ++spot) {
      const Place& place = record.index.place(*spot);
      if (!record.memory_actions.contains(place.step, place.part)) found.push_back(*spot);
    }
  }
  std::sort(found.begin(), found.end(), [](const Spot& a, const Spot& b) {
    return a.place != b.place ? a.place < b.place : a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  // What a decoded string shows need not be shown by the recorded JSON again.
  const Place* decoded = nullptr;
  std::erase_if(found, [&](const Spot& spot) {
    const Place& place = record.index.place(spot);
    if (!place.as_recorded) decoded = &place;
    return place.as_recorded && decoded != nullptr && decoded->step == place.step && decoded->part == place.part;
  });
  return found;
}

std::optional<KnownFrom> known_before(const EpisodeRecord& record, const TracedEntry& entry,
                                      const std::vector<PatternId>& forms) {
  const RecordIndex& index = record.index;
  // What the agent says once a teaser has shown the value is an echo of the memory.
  std::uint32_t own_words_end = entry.first;
  for (const PatternId form : forms) {
    const std::vector<Spot>& teasers = index.of(form).teasers;
    if (!teasers.empty()) own_words_end = std::min(own_words_end, index.place(teasers.front()).from);
  }
  std::optional<KnownFrom> hidden;
  for (const PatternId form : forms) {
    const Occurrences& here = index.of(form);
    if (!here.task.empty()) return KnownFrom{here.task.front(), true};
    if (const Spot* spot = index.visible_in_environment(form, entry.first); spot != nullptr)
      return KnownFrom{*spot, true};
    const auto own = [&](const std::vector<Spot>& spots, std::uint32_t end) -> std::optional<KnownFrom> {
      const auto past = std::partition_point(spots.begin(), spots.end(),
                                             [&](const Spot& spot) { return index.place(spot).step < end; });
      if (past == spots.begin()) return std::nullopt;
      for (const Spot& spot : {*std::prev(past), spots.front()}) {
        if (index.step_visible(index.place(spot).step, entry.first)) return KnownFrom{spot, true};
      }
      return KnownFrom{spots.front(), false};
    };
    for (const auto& known : {own(here.words, own_words_end), own(here.actions, entry.first)}) {
      if (known && known->citable) return known;
      if (known && !hidden) hidden = known;
    }
    if (const Spot* spot = index.visible_in_memory(form, entry.first, entry.order); spot != nullptr) {
      return KnownFrom{*spot, true};
    }
  }
  return hidden;
}

EntryTrace trace_entry(const EpisodeRecord& record, const TracedEntry& entry) {
  return EntryTracer(record, entry).read();
}

}  // namespace memuse::judge
