#include "judge/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "judge/entry_trace.h"
#include "judge/quotes.h"
#include "model/entries.h"
#include "model/text.h"

// The decision per entry, from the facts of entry_trace.h to labels, anchors, evidence and a reason.

namespace memuse::judge {
namespace {

/// Pieces of evidence of one kind that an answer gives; more would not make it truer.
constexpr std::size_t kMostQuotes = 4;
constexpr std::size_t kLongestValueInReason = 60;

std::string shown(std::string_view value) {
  return "`" + printable(shortened(value, kLongestValueInReason)) + "`";
}

/// "step 3", "steps 3 and 5", "steps 3, 5 and 8".
std::string steps_in_words(const std::vector<std::uint32_t>& steps) {
  std::string text = steps.size() == 1 ? "step " : "steps ";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) text += i + 1 == steps.size() ? " and " : ", ";
    text += std::to_string(steps[i]);
  }
  return text;
}

std::string window_in_words(const TracedEntry& entry) {
  if (entry.first == entry.last) return fmt::format("step {}", entry.first);
  return fmt::format("steps {}–{}", entry.first, entry.last);
}

std::vector<std::uint32_t> distinct_steps(std::vector<std::uint32_t> steps) {
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// Makes the answer for one entry.
class EntryJudge {
 public:
  EntryJudge(const EpisodeRecord& record, const TracedEntry& entry)
      : record_(record), entry_(entry), trace_(trace_entry(record, entry)) {
    answer_.entry = entry.entry;
  }

  EntryAnswer judge() {
    decide_influence();
    decide_novelty();
    decide_effect();
    return std::move(answer_);
  }

 private:
  void decide_influence();
  void decide_novelty();
  void decide_effect();
  void acted_on();
  void selected();
  void referenced();
  void nothing_found();
  [[nodiscard]] bool is_selected() const;
  [[nodiscard]] bool cite_redundancy();
  [[nodiscard]] std::vector<PatternId> exposed_forms(const ProbeValue& value) const;
  [[nodiscard]] std::optional<Spot> carried_probe(const std::vector<ProbeValue>& values) const;

  void add_evidence(Evidence place, std::string_view text, std::size_t begin, std::size_t end, std::string_view signal);
  void cite_step(const Spot& spot, std::string_view signal);
  void cite_known(const Spot& spot);
  void cite_entry(std::string_view value, std::string_view signal);

  const EpisodeRecord& record_;
  const TracedEntry& entry_;
  EntryTrace trace_;
  EntryAnswer answer_;
};

void EntryJudge::add_evidence(Evidence place, std::string_view text, std::size_t begin, std::size_t end,
                              std::string_view signal) {
  end = std::min(end, begin + kLongestQuotedValue);
  while (end > begin && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  place.quote = quote_around(text, begin, end);
  place.value = std::string(text.substr(begin, end - begin));
  place.supports = std::string(signal);
  const auto same = [&](const Evidence& other) {
    return other.step == place.step && other.file == place.file && other.quote == place.quote &&
           other.supports == place.supports;
  };
  if (std::none_of(answer_.evidence.begin(), answer_.evidence.end(), same))
    answer_.evidence.push_back(std::move(place));
}

void EntryJudge::cite_step(const Spot& spot, std::string_view signal) {
  Evidence place;
  place.step = record_.index.place(spot).step;
  add_evidence(std::move(place), record_.index.text(spot), spot.begin, spot.end, signal);
}

void EntryJudge::cite_known(const Spot& spot) {
  const Place& known = record_.index.place(spot);
  Evidence place;
  if (known.kind == PlaceKind::task) {
    place.step = 0;
  } else if (known.kind == PlaceKind::memory) {
    const Exposure& exposure = record_.index.exposures()[known.part];
    place.file = exposure.item && exposure.item == entry_.item ? "earlier_copies" : "deliveries";
  } else if (known.step > 0) {
    place.step = known.step;
  } else {
    const Origin origin = record_.episode.messages[known.part].origin;
    place.file = origin == Origin::task || origin == Origin::user ? "task" : "other_messages";
  }
  add_evidence(std::move(place), record_.index.text(spot), spot.begin, spot.end, "novelty");
}

/// Cites the exposed text where it holds the value (numbers in another spelling are cited by their digits, or not).
void EntryJudge::cite_entry(std::string_view value, std::string_view signal) {
  const std::size_t at = entry_.text.find(value);
  if (value.empty() || at == std::string_view::npos) return;
  Evidence place;
  place.file = "target";
  add_evidence(std::move(place), entry_.text, at, at + value.size(), signal);
}

void EntryJudge::acted_on() {
  answer_.labels.influence = Influence::acted_on;
  std::stable_sort(trace_.carried.begin(), trace_.carried.end(),
                   [](const Sighting& a, const Sighting& b) { return a.step < b.step; });
  for (const Sighting& sighting : trace_.carried) answer_.anchors.push_back(sighting.step);
  answer_.anchors = distinct_steps(std::move(answer_.anchors));
  std::vector<std::uint32_t> cited;
  for (const Sighting& sighting : trace_.carried) {
    if (answer_.evidence.size() == 2 * kMostQuotes) break;
    cite_entry(sighting.value->text, "influence");
    cite_step(sighting.spot, "influence");
  }
  const Sighting& first = trace_.carried.front();
  answer_.reason = fmt::format("{} stands in the entry and in an action of step {}; it was not visible before step {}.",
                               shown(first.value->text), first.step, entry_.first);
}

bool EntryJudge::is_selected() const {
  if (trace_.openings.empty()) return false;
  if (trace_.carried.empty()) return true;
  // What is acted on after a fuller text of the item was fetched is credited to that text.
  const auto first = std::min_element(trace_.carried.begin(), trace_.carried.end(),
                                      [](const Sighting& a, const Sighting& b) { return a.step < b.step; });
  return !trace_.opened.empty() && trace_.opened.front() <= first->step;
}

void EntryJudge::selected() {
  answer_.labels.influence = Influence::selected;
  answer_.anchors = trace_.opened;
  if (answer_.anchors.empty()) {
    for (const Mention& opening : trace_.openings) answer_.anchors.push_back(opening.step);
    answer_.anchors = distinct_steps(std::move(answer_.anchors));
  }
  for (const Mention& opening : trace_.openings) {
    const bool anchored = std::binary_search(answer_.anchors.begin(), answer_.anchors.end(), opening.step);
    if (anchored && answer_.evidence.size() < kMostQuotes) cite_step(opening.spot, "influence");
  }
  answer_.reason = fmt::format("The agent {} the entry by its identifier in {}.",
                               trace_.opened.empty() ? "tried to open" : "opened", steps_in_words(answer_.anchors));
}

void EntryJudge::referenced() {
  answer_.labels.influence = Influence::referenced;
  if (!trace_.mentions.empty()) {
    for (const Mention& mention : trace_.mentions) answer_.anchors.push_back(mention.step);
    answer_.anchors = distinct_steps(std::move(answer_.anchors));
    for (const Mention& mention : trace_.mentions) {
      if (answer_.evidence.size() < kMostQuotes) cite_step(mention.spot, "influence");
    }
    answer_.reason = fmt::format("The agent names the entry in {}; no action in {} carries a value of it.",
                                 steps_in_words(answer_.anchors), window_in_words(entry_));
  } else if (!trace_.said.empty()) {
    for (const Sighting& sighting : trace_.said) answer_.anchors.push_back(sighting.step);
    answer_.anchors = distinct_steps(std::move(answer_.anchors));
    for (const Sighting& sighting : trace_.said) {
      if (answer_.evidence.size() < kMostQuotes) cite_step(sighting.spot, "influence");
    }
    answer_.reason =
        fmt::format("{} of the entry stands in what the agent says in {}, and in no action of {}.",
                    shown(trace_.said.front().value->text), steps_in_words(answer_.anchors), window_in_words(entry_));
  } else {
    answer_.anchors = {*trace_.remark_on_all};
    const Step& step = record_.episode.steps[entry_.first - 1];
    const std::string_view words = step.response.empty() ? step.reasoning : step.response;
    Evidence place;
    place.step = entry_.first;
    add_evidence(std::move(place), words, 0, words.size(), "influence");
    answer_.evidence.back().value.clear();
    answer_.reason =
        fmt::format("Step {} speaks of the recalled notes as a whole; nothing else in {} shows this entry.",
                    entry_.first, window_in_words(entry_));
  }
}

void EntryJudge::nothing_found() {
  if (record_.values.of(entry_.delivery, entry_.entry).empty()) {
    answer_.reason = "The entry has no value that could be traced.";
    return;
  }
  answer_.labels.influence = Influence::none;
  answer_.reason = fmt::format("No new value, identifier or mention of the entry was found in {}, all searched.",
                               window_in_words(entry_));
}

void EntryJudge::decide_influence() {
  if (is_selected()) {
    selected();
  } else if (!trace_.carried.empty()) {
    acted_on();
  } else if (!trace_.mentions.empty() || !trace_.said.empty() || trace_.remark_on_all) {
    referenced();
  } else {
    nothing_found();
  }
}

/// Cites where the values were visible before; false when no such place can be cited.
bool EntryJudge::cite_redundancy() {
  std::size_t cited = 0;
  for (const auto& [value, known] : trace_.known) {
    if (value->kind == ValueKind::phrase || !known.citable || cited == kMostQuotes) continue;
    cite_known(known.spot);
    ++cited;
  }
  return cited > 0;
}

void EntryJudge::decide_novelty() {
  const bool acted = answer_.labels.influence == Influence::acted_on;
  const TracedValue* rare = acted ? trace_.carried.front().value : nullptr;
  for (std::size_t i = 0; i < trace_.novel.size() && rare == nullptr; ++i) {
    const ValueKind kind = trace_.novel[i]->kind;
    const bool shown_by_words = kind == ValueKind::phrase || kind == ValueKind::plain_number;
    if (!trace_.novel_weak[i] && !shown_by_words) rare = trace_.novel[i];
  }
  if (rare != nullptr) {
    answer_.labels.novelty = Novelty::novel;
    cite_entry(rare->text, "novelty");
    if (!acted) answer_.reason += fmt::format(" {} was not visible before step {}.", shown(rare->text), entry_.first);
  } else if (cite_redundancy()) {
    answer_.labels.novelty = Novelty::redundant;
    answer_.reason += " Its values were visible before.";
  }
}

/// The forms of a probe's value, if the entry exposes it and nothing before the delivery held it.
std::vector<PatternId> EntryJudge::exposed_forms(const ProbeValue& value) const {
  bool exposed = false;
  record_.values.table().scan(entry_.text, [&](PatternId pattern, std::size_t, std::size_t) {
    exposed = exposed || std::binary_search(value.forms.begin(), value.forms.end(), pattern);
  });
  if (!exposed || known_before(record_, entry_, value.forms)) return {};
  return value.forms;
}

/// The first action in the window that carries one of the values that the entry brought.
std::optional<Spot> EntryJudge::carried_probe(const std::vector<ProbeValue>& values) const {
  for (const ProbeValue& value : values) {
    const std::vector<Spot> spots = task_actions(record_, exposed_forms(value), entry_.first, entry_.last);
    if (!spots.empty()) return spots.front();
  }
  return std::nullopt;
}

void EntryJudge::decide_effect() {
  const Episode& episode = record_.episode;
  const bool checked = episode.probe && episode.outcome && episode.outcome->resolved;
  if (answer_.labels.influence != Influence::acted_on || !checked) return;
  if (*episode.outcome->resolved) {
    if (const std::optional<Spot> gold = carried_probe(record_.values.gold())) {
      answer_.labels.effect = Effect::improved;
      cite_step(*gold, "effect");
      answer_.reason += fmt::format(" Step {} carries a gold value of the probe and the episode passed.",
                                    record_.index.place(*gold).step);
    }
    return;
  }
  const std::optional<Spot> stale = carried_probe(record_.values.stale());
  if (!stale || record_.values.gold().empty()) return;
  const std::uint32_t step = record_.index.place(*stale).step;
  for (const ProbeValue& gold : record_.values.gold()) {
    if (!task_actions(record_, gold.forms, step, episode.step_count()).empty()) return;  // it was put right
  }
  answer_.labels.effect = Effect::harmed;
  cite_step(*stale, "effect");
  answer_.reason += fmt::format(
      " Step {} carries a stale value of the probe, no later action the gold one, and the "
      "episode failed.",
      step);
}

}  // namespace

struct Tracer::Record : EpisodeRecord {
  using EpisodeRecord::EpisodeRecord;
};

Tracer::Tracer(const Episode& episode, const EpisodeSpans& spans)
    : record_(std::make_unique<const Record>(episode, spans)) {}
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;
Tracer::~Tracer() = default;

Answer Tracer::judge(const Span& span) const {
  Answer answer;
  if (span.deliveries.empty() || span.deliveries.front().delivery >= record_->episode.deliveries.size()) return answer;
  const std::uint32_t target = span.deliveries.front().delivery;
  const Delivery& delivery = record_->episode.deliveries[target];
  const std::vector<ExposedEntry> exposed = exposed_entries(record_->episode, delivery);
  for (const SpanEntry& entry : span.entries) {
    const auto found = std::partition_point(exposed.begin(), exposed.end(),
                                            [&](const ExposedEntry& e) { return e.index < entry.entry; });
    if (!entry.window || found == exposed.end() || found->index != entry.entry) continue;
    TracedEntry traced;
    traced.delivery = target;
    traced.entry = entry.entry;
    traced.order = delivery.order;
    traced.first = entry.window->first;
    traced.last = entry.window->last;
    traced.text = found->text;
    if (found->recorded != nullptr) {
      traced.item = found->recorded->item;
      traced.identifiers = found->recorded->identifiers;
    }
    answer.entries.push_back(EntryJudge(*record_, traced).judge());
  }
  return answer;
}

}  // namespace memuse::judge
