#include "value_tracing/sightings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "evidence/action_arguments.h"
#include "judge/atoms.h"
#include "judge/memory_actions.h"
#include "judge/patterns.h"
#include "judge/probe_forms.h"
#include "judge/record_index.h"
#include "judge/values.h"

// Two passes. The first finds the values in delivered memory and learns from the lines around them with which words and
// in which units they may come back; the second looks for all writings everywhere. A text is read again only when the
// index has seen something in it.

namespace memuse::value_tracing {
namespace {

using judge::Pattern;
using judge::PatternId;
using judge::PatternTable;
using judge::PlaceKind;
using judge::RecordIndex;

constexpr std::size_t kQuoteBytes = 160;          ///< on either side of a value
constexpr std::size_t kLongestMemoryLine = 4096;  ///< bytes of a line that words and units are learnt from
constexpr std::size_t kMostMemoryLines = 64;      ///< per value; copies of copies say the same again

bool inside_character(std::string_view text, std::size_t at) {
  return at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// The line around [begin, end), at most `reach` bytes of it on either side.
std::pair<std::size_t, std::size_t> line_around(std::string_view text, std::size_t begin, std::size_t end,
                                                std::size_t reach) {
  std::size_t from = begin;
  while (from > 0 && begin - from < reach && text[from - 1] != '\n') --from;
  while (inside_character(text, from)) --from;
  std::size_t to = end;
  while (to < text.size() && to - end < reach && text[to] != '\n') ++to;
  while (inside_character(text, to)) ++to;
  return {from, to};
}

Quote quote_of(std::string_view text, std::size_t begin, std::size_t end) {
  const auto [from, to] = line_around(text, begin, end, kQuoteBytes);
  Quote quote{std::string(text.substr(from, begin - from)), std::string(text.substr(begin, end - begin)),
              std::string(text.substr(end, to - end)), false, false};
  quote.cut_before = from > 0 && text[from - 1] != '\n';
  quote.cut_after = to < text.size() && text[to] != '\n';
  return quote;
}

/// How a pattern speaks of a value.
enum class Writing : std::uint8_t {
  own,   ///< the value itself, in any case and layout
  form,  ///< another writing
  keyed  ///< a common value with a word that says what it is
};

struct Use {
  std::size_t value = 0;
  Writing writing = Writing::own;
};

/// A value in one text.
struct Hit {
  std::size_t value = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool verbatim = false;
};

/// What one text shows.
struct Reading {
  std::vector<Hit> hits;           ///< ascending
  std::set<std::size_t> keyed_in;  ///< values that stand there with a word of theirs
};

/// A sought value with what the search needs of it.
struct Sought {
  SoughtValue value;
  std::string_view text;  ///< trimmed
  std::vector<judge::Atom> atoms;
  bool telling = true;
};

class Search {
 public:
  Search(const Episode& episode, const std::vector<SoughtValue>& values) : episode_(episode), memory_actions_(episode) {
    for (const SoughtValue& value : values) {
      Sought& sought = sought_.emplace_back();
      sought.value = value;
      sought.text = trimmed(value.text);
      sought.atoms = judge::atoms_of(sought.text);
      sought.telling = judge::is_telling_probe_value(sought.text);
    }
    for (std::size_t v = 0; v < sought_.size(); ++v) {
      const std::vector<Pattern> forms = judge::wide_probe_forms(sought_[v].text);
      for (std::size_t i = 0; i < forms.size(); ++i) add(forms[i], {v, i == 0 ? Writing::own : Writing::form});
    }
  }

  std::vector<FoundValue> find();

 private:
  void add(const Pattern& pattern, Use use);
  void learn_from_memory(const RecordIndex& index);
  void collect_lines(std::string_view text, std::vector<std::set<std::string_view>>& lines) const;
  void learn_from_line(std::size_t value, std::string_view line);
  [[nodiscard]] std::optional<Hit> hit_of(std::string_view text, Use use, std::size_t begin, std::size_t end) const;
  [[nodiscard]] Reading read(std::string_view text) const;
  void drop_inner(std::vector<Hit>& hits) const;
  void read_places(const RecordIndex& index);
  void read_place(const RecordIndex& index, const judge::Place& place, std::string_view text);
  void read_actions(std::uint32_t step, const std::set<std::uint32_t>& candidates);
  void read_arguments(const Action& action, ValueSighting place);
  void keep(const Reading& reading, const std::set<std::size_t>& keyed_nearby, std::string_view text,
            const ValueSighting& place, std::uint64_t offset);
  void sort();

  const Episode& episode_;
  judge::MemoryActions memory_actions_;
  std::vector<Sought> sought_;
  PatternTable table_;
  std::unordered_map<PatternId, std::vector<Use>> uses_;
  std::vector<FoundValue> found_;
};

void Search::add(const Pattern& pattern, Use use) {
  if (pattern.atoms.empty()) return;
  std::vector<Use>& uses = uses_[table_.add(pattern)];
  const bool known = std::any_of(uses.begin(), uses.end(), [&](const Use& other) {
    return other.value == use.value && (other.writing == use.writing || use.writing == Writing::form);
  });
  if (!known) uses.push_back(use);
}

/// Words and units that stand with a value in a line of delivered memory.
void Search::learn_from_line(std::size_t value, std::string_view line) {
  const Sought& sought = sought_[value];
  const judge::Atom& atom = sought.atoms.front();
  const std::string number =
      judge::canonical_atom(sought.text.substr(atom.begin, atom.end - atom.begin), judge::AtomKind::number);
  for (const judge::Value& traced : judge::traceable_values(line, {})) {
    if (traced.text != number) continue;
    const Writing writing = traced.kind == judge::ValueKind::number         ? Writing::form
                            : traced.kind == judge::ValueKind::keyed_number ? Writing::keyed
                                                                            : Writing::own;
    if (writing == Writing::own || (writing == Writing::keyed && sought.telling)) continue;
    for (const Pattern& form : traced.forms) {
      // A keyed number in another unit is another number: here only the value itself is asked for.
      if (writing == Writing::keyed && form.atoms.front() != number) continue;
      add(form, {value, writing});
    }
  }
}

void Search::learn_from_memory(const RecordIndex& index) {
  std::set<std::uint32_t> texts;
  for (const auto& [pattern, uses] : uses_) {
    const judge::Occurrences& here = index.of(pattern);
    for (const std::vector<judge::Spot>* spots : {&here.memory, &here.teasers}) {
      for (const judge::Spot& spot : *spots) texts.insert(index.places()[spot.place].text);
    }
  }
  // The index keeps the first hits of a text only; the line that names the number may come later.
  std::vector<std::set<std::string_view>> lines(sought_.size());
  for (const std::uint32_t id : texts) collect_lines(index.text(id), lines);
  for (std::size_t value = 0; value < lines.size(); ++value) {
    for (const std::string_view line : lines[value]) learn_from_line(value, line);
  }
}

/// Adds the lines of a text in which numbers that are sought stand, up to the limit of each.
void Search::collect_lines(std::string_view text, std::vector<std::set<std::string_view>>& lines) const {
  std::vector<std::size_t> past(sought_.size(), 0);  // end of the last line of each value
  table_.scan(text, [&](PatternId pattern, std::size_t begin, std::size_t end) {
    for (const Use& use : uses_.at(pattern)) {
      const std::vector<judge::Atom>& atoms = sought_[use.value].atoms;
      const bool number = atoms.size() == 1 && atoms.front().kind == judge::AtomKind::number;
      if (!number || begin < past[use.value] || lines[use.value].size() >= kMostMemoryLines) continue;
      const auto [from, to] = line_around(text, begin, end, kLongestMemoryLine);
      past[use.value] = to;
      lines[use.value].insert(text.substr(from, to - from));
    }
  });
}

/// The hit of a pattern as a hit of the value: with the quotes that belong to it, and to its last byte when the pattern
/// is shorter than the value.
std::optional<Hit> Search::hit_of(std::string_view text, Use use, std::size_t begin, std::size_t end) const {
  const Sought& sought = sought_[use.value];
  Hit hit{use.value, begin, end, false};
  if (use.writing != Writing::own) return hit;
  const std::size_t lead = sought.atoms.front().begin;
  const bool is_cut = sought.atoms.size() > judge::kLongestPattern;
  const std::size_t core_end = sought.atoms[std::min(sought.atoms.size(), judge::kLongestPattern) - 1].end;
  const bool same_core = text.substr(begin, end - begin) == sought.text.substr(lead, core_end - lead);
  if (same_core && begin >= lead && text.substr(begin - lead, sought.text.size()) == sought.text) {
    const std::size_t past = begin - lead + sought.text.size();
    // A pattern that was cut did not look at the end.
    std::vector<judge::Atom> last;
    if (is_cut) {
      judge::read_atoms(text, past - (sought.text.size() - sought.atoms.back().begin), 1, last);
    }
    if (!is_cut || (!last.empty() && last.front().key == sought.atoms.back().key)) {
      return Hit{use.value, begin - lead, past, true};
    }
  }
  if (!is_cut) return hit;
  std::vector<judge::Atom> atoms;
  judge::read_atoms(text, begin, sought.atoms.size(), atoms);
  if (atoms.size() != sought.atoms.size()) return std::nullopt;
  const bool same = std::equal(atoms.begin(), atoms.end(), sought.atoms.begin(),
                               [](const judge::Atom& a, const judge::Atom& b) { return a.key == b.key; });
  if (!same) return std::nullopt;
  hit.end = atoms.back().end;
  return hit;
}

/// Takes out hits that lie inside a longer one of another side. Hits are sorted by begin, longer ones first.
void Search::drop_inner(std::vector<Hit>& hits) const {
  std::array<std::optional<Hit>, 2> furthest;
  std::vector<Hit> kept;
  for (const Hit& hit : hits) {
    const std::size_t side = sought_[hit.value].value.side == 0 ? 0 : 1;
    const std::optional<Hit>& other = furthest[1 - side];
    const bool inside = other && (other->end > hit.end || (other->end == hit.end && other->begin < hit.begin));
    if (inside && other->begin <= hit.begin) continue;
    if (!furthest[side] || hit.end > furthest[side]->end) furthest[side] = hit;
    kept.push_back(hit);
  }
  hits = std::move(kept);
}

Reading Search::read(std::string_view text) const {
  Reading reading;
  table_.scan(text, [&](PatternId pattern, std::size_t begin, std::size_t end) {
    for (const Use& use : uses_.at(pattern)) {
      if (use.writing == Writing::keyed) {
        reading.keyed_in.insert(use.value);
      } else if (const std::optional<Hit> hit = hit_of(text, use, begin, end)) {
        reading.hits.push_back(*hit);
      }
    }
  });
  std::sort(reading.hits.begin(), reading.hits.end(), [](const Hit& a, const Hit& b) {
    return std::tuple(a.begin, b.end, a.value, b.verbatim) < std::tuple(b.begin, a.end, b.value, a.verbatim);
  });
  drop_inner(reading.hits);
  return reading;
}

/// Keeps one sighting of each value in the text: its first verbatim one, else its first.
void Search::keep(const Reading& reading, const std::set<std::size_t>& keyed_nearby, std::string_view text,
                  const ValueSighting& place, std::uint64_t offset) {
  std::vector<const Hit*> best(sought_.size(), nullptr);
  for (const Hit& hit : reading.hits) {
    const Hit*& known = best[hit.value];
    if (known == nullptr || (hit.verbatim && !known->verbatim)) known = &hit;
  }
  for (std::size_t v = 0; v < best.size(); ++v) {
    if (best[v] == nullptr) continue;
    ValueSighting sighting = place;
    sighting.begin = offset + best[v]->begin;
    sighting.end = offset + best[v]->end;
    sighting.verbatim = best[v]->verbatim;
    sighting.telling = sought_[v].telling || reading.keyed_in.contains(v) || keyed_nearby.contains(v);
    sighting.quote = quote_of(text, best[v]->begin, best[v]->end);
    found_[v].sightings.push_back(std::move(sighting));
  }
}

Where where_of(const Message& message) {
  if (message.role == Role::tool || message.of_step != 0) return Where::tool_result;
  if (message.role == Role::user) return Where::user;
  return message.role == Role::system ? Where::system : Where::other;
}

void Search::read_place(const RecordIndex& index, const judge::Place& place, std::string_view text) {
  // The agent never saw what no step's input holds, as the last step's result.
  const bool unseen = place.end <= place.from || place.from > episode_.step_count();
  if (place.kind == PlaceKind::environment && unseen) return;
  ValueSighting at;
  at.step = place.step;
  at.from = place.from;
  std::uint64_t offset = 0;
  if (place.kind == PlaceKind::memory) {
    const judge::Exposure& exposure = index.exposures()[place.part];
    at.where = Where::memory;
    at.delivery = exposure.delivery;
    at.entry = exposure.entry;
    if (exposure.item) at.item = std::string(*exposure.item);
  } else if (place.kind == PlaceKind::words) {
    at.where = Where::speech;
    at.from = place.step;
    at.argument = place.part == 0 ? "response" : "reasoning";
  } else if (place.kind == PlaceKind::task) {
    at.where = Where::task;
  } else {
    const Message& message = episode_.messages[place.part];
    at.where = where_of(message);
    at.message = place.part;
    // The piece of the message that is no memory; its place in the text that the message has from there on.
    const std::size_t piece = find_text(episode_.texts[message.text_at_step(place.from)], text);
    if (piece != std::string_view::npos) offset = piece;
  }
  keep(read(text), {}, text, at, offset);
}

void Search::read_arguments(const Action& action, ValueSighting place) {
  std::optional<std::vector<evidence::Argument>> arguments = evidence::action_arguments(action.arguments);
  if (!arguments) arguments = {{"", std::string(action.arguments), true}};
  // Names of arguments are not their values, but they say what a number is.
  const Reading recorded = read(action.arguments);
  for (const evidence::Argument& argument : *arguments) {
    const Reading reading = read(argument.value);
    if (reading.hits.empty()) continue;
    place.argument = argument.path;
    keep(reading, recorded.keyed_in, argument.value, place, 0);
  }
}

void Search::read_actions(std::uint32_t step, const std::set<std::uint32_t>& candidates) {
  for (const std::uint32_t index : candidates) {
    if (memory_actions_.contains(step, index)) continue;
    const Action& action = episode_.steps[step - 1].actions[index];
    ValueSighting place;
    place.where = Where::action;
    place.step = place.from = step;
    place.action = index;
    place.action_name = std::string(action.name);
    read_arguments(action, std::move(place));
  }
}

void Search::read_places(const RecordIndex& index) {
  std::set<std::uint32_t> places;
  for (const auto& [pattern, uses] : uses_) {
    const judge::Occurrences& here = index.of(pattern);
    for (const std::vector<judge::Spot>* spots :
         {&here.task, &here.words, &here.actions, &here.environment, &here.memory, &here.teasers}) {
      for (const judge::Spot& spot : *spots) places.insert(spot.place);
    }
  }
  std::map<std::uint32_t, std::set<std::uint32_t>> actions;  // by step
  for (const std::uint32_t id : places) {
    const judge::Place& place = index.places()[id];
    if (place.kind == PlaceKind::action) {
      actions[place.step].insert(place.part);
    } else {
      read_place(index, place, index.text(place.text));
    }
  }
  for (const auto& [step, candidates] : actions) read_actions(step, candidates);
}

/// Order of the record: what step k sees, then what it says, then what it does.
void Search::sort() {
  const auto phase = [](Where where) { return where == Where::action ? 2 : where == Where::speech ? 1 : 0; };
  const auto key = [&](const ValueSighting& s) {
    return std::tuple(s.from, phase(s.where), s.where, s.action, s.message, s.delivery, s.entry);
  };
  for (FoundValue& found : found_) {
    std::stable_sort(found.sightings.begin(), found.sightings.end(),
                     [&](const ValueSighting& a, const ValueSighting& b) { return key(a) < key(b); });
  }
}

std::vector<FoundValue> Search::find() {
  found_.resize(sought_.size());
  for (std::size_t v = 0; v < sought_.size(); ++v) found_[v].telling = sought_[v].telling;
  const std::size_t patterns = table_.size();
  if (patterns == 0) return std::move(found_);
  const RecordIndex index(episode_, table_, {});
  learn_from_memory(index);
  if (table_.size() == patterns) {
    read_places(index);
  } else {
    read_places(RecordIndex(episode_, table_, {}));
  }
  sort();
  return std::move(found_);
}

}  // namespace

std::string_view name(Where where) {
  constexpr std::array<std::string_view, 8> kNames{"memory", "action", "speech",      "task",
                                                   "user",   "system", "tool_result", "other"};
  return kNames[static_cast<std::size_t>(where)];
}

bool is_input(Where where) {
  return where != Where::memory && where != Where::action && where != Where::speech;
}

std::vector<FoundValue> find_values(const Episode& episode, const std::vector<SoughtValue>& values) {
  return Search(episode, values).find();
}

}  // namespace memuse::value_tracing
