#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "model/text.h"
#include "report/attribution_figures.h"
#include "report/lane_events.h"
#include "report/lane_figures.h"

namespace memuse::report {
namespace {

using figures::LaneChart;
using figures::LaneEvent;

bool is_acted_on(const EntryRecord& entry) {
  return entry.answer && entry.answer->labels.influence == Influence::acted_on;
}

bool has_acted_on(const SpanRecord& span) {
  return std::any_of(span.entries.begin(), span.entries.end(), is_acted_on);
}

class Timeline {
 public:
  explicit Timeline(const EpisodeSpansRecord& record) : record_(record) {}

  LaneChart chart() {
    chart_.axis_label = "step";
    chart_.visible_name = "visible";
    chart_.window_name = "credit window";
    chart_.arrow_name = "first read";
    chart_.first = 1;
    chart_.last = std::max<std::uint32_t>(record_.episode.steps, 1);
    const std::optional<bool>& resolved = record_.episode.resolved;
    chart_.end = !resolved ? "outcome unknown" : *resolved ? "resolved" : "not resolved";
    const std::vector<const SpanRecord*> spans = chosen_spans();
    std::size_t entries = 0;
    for (const SpanRecord* span : spans) entries += std::max<std::size_t>(span->entries.size(), 1);
    const bool by_entry = entries <= kMostLanes;
    for (const SpanRecord* span : spans) by_entry ? add_entries(*span) : add_span(*span);
    if (!by_entry) chart_.notes.emplace_back("A lane holds all entries of its span.");
    add_notes();
    return std::move(chart_);
  }

 private:
  /// All spans, or as many as fit: those that were acted on, then the first ones; by number.
  std::vector<const SpanRecord*> chosen_spans() {
    std::vector<const SpanRecord*> spans;
    for (const SpanRecord& span : record_.spans) spans.push_back(&span);
    if (spans.size() <= kMostLanes) return spans;
    std::stable_partition(spans.begin(), spans.end(), [](const SpanRecord* span) { return has_acted_on(*span); });
    const auto acted_on = std::count_if(spans.begin() + kMostLanes, spans.end(),
                                        [](const SpanRecord* span) { return has_acted_on(*span); });
    chart_.notes.push_back(fmt::format(
        "{} more spans are not drawn: {}.", spans.size() - kMostLanes,
        acted_on == 0 ? std::string("none of them was acted on") : fmt::format("{} of them were acted on", acted_on)));
    spans.resize(kMostLanes);
    std::sort(spans.begin(), spans.end(),
              [](const SpanRecord* a, const SpanRecord* b) { return a->number < b->number; });
    return spans;
  }

  static void add_deliveries(const SpanRecord& span, LaneChart::Lane& lane) {
    lane.bands.push_back({LaneChart::Band::Kind::visible, static_cast<double>(span.first_step),
                          static_cast<double>(std::max(span.first_step, span.last_step))});
    for (const DeliveryRecord& delivery : span.deliveries) {
      lane.marks.push_back(
          {delivery.restatement ? LaneEvent::restatement : LaneEvent::delivery, static_cast<double>(delivery.step)});
    }
  }

  void add_entry(const EntryRecord& entry, LaneChart::Lane& lane) {
    if (entry.window) {
      lane.bands.push_back({LaneChart::Band::Kind::window, static_cast<double>(entry.window->first),
                            static_cast<double>(entry.window->last)});
    }
    if (!entry.answer) return;
    const std::optional<LaneEvent> event = use_event(entry.answer->labels);
    if (!event) return;
    for (const std::uint32_t anchor : entry.answer->anchors)
      lane.marks.push_back({*event, static_cast<double>(anchor)});
    if (entry.answer->anchors.empty()) ++without_anchor_;
  }

  static std::string item_of(const EntryRecord& entry) {
    return entry.item ? *entry.item : fmt::format("entry {}", entry.entry);
  }

  void add_entries(const SpanRecord& span) {
    const std::string number = fmt::format("S{}", span.number);
    chart_.arrows.push_back({std::nullopt, chart_.lanes.size(), static_cast<double>(span.first_step)});
    if (span.entries.empty()) {
      add_span(span, false);
      return;
    }
    for (std::size_t i = 0; i < span.entries.size(); ++i) {
      LaneChart::Lane lane;
      lane.label = i == 0 ? number + "  " + item_of(span.entries[i]) : item_of(span.entries[i]);
      lane.follows = i > 0;
      add_deliveries(span, lane);
      add_entry(span.entries[i], lane);
      chart_.lanes.push_back(std::move(lane));
    }
  }

  void add_span(const SpanRecord& span, bool with_arrow = true) {
    if (with_arrow) {
      chart_.arrows.push_back({std::nullopt, chart_.lanes.size(), static_cast<double>(span.first_step)});
    }
    LaneChart::Lane lane;
    const std::string& form = span.deliveries.empty() ? std::string() : span.deliveries.front().form;
    lane.label = fmt::format("S{}  {}{}", span.number, form,
                             span.entries.size() > 1 ? fmt::format(" ({} entries)", span.entries.size()) : "");
    add_deliveries(span, lane);
    for (const EntryRecord& entry : span.entries) add_entry(entry, lane);
    chart_.lanes.push_back(std::move(lane));
  }

  void add_notes() {
    if (record_.spans.empty()) chart_.notes.emplace_back("Nothing was delivered to this episode.");
    if (!record_.unconsumed.empty()) {
      chart_.notes.push_back(fmt::format("Not drawn: {} deliver{} that no step read.", record_.unconsumed.size(),
                                         record_.unconsumed.size() == 1 ? "y" : "ies"));
    }
    if (without_anchor_ > 0) {
      chart_.notes.push_back(fmt::format("Not drawn: the use of {} entr{} for which no step is named.", without_anchor_,
                                         without_anchor_ == 1 ? "y" : "ies"));
    }
    const auto unjudged = std::count_if(record_.spans.begin(), record_.spans.end(), [](const SpanRecord& span) {
      return span.status == SpanStatus::not_judged || span.status == SpanStatus::unresolved;
    });
    if (unjudged > 0) {
      chart_.notes.push_back(
          fmt::format("{} span{} without an accepted answer.", unjudged, unjudged == 1 ? " is" : "s are"));
    }
  }

  const EpisodeSpansRecord& record_;
  LaneChart chart_;
  std::size_t without_anchor_ = 0;
};

}  // namespace

figures::Figure timeline_figure(const EpisodeSpansRecord& record, const JudgementSetRecord& set) {
  const EpisodeRecord& episode = record.episode;
  return {
      "timeline-" + figure_file_name(episode.episode),
      fmt::format("Episode {} of {}, run {}: injection spans below its {} steps. Grey line: the copies of a span are "
                  "visible; an arrow: the step that first read it; shaded: credit windows; marks: the steps that "
                  "anchor a use. {}.",
                  printable(episode.episode), printable(episode.configuration), printable(episode.run), episode.steps,
                  judge_words(set)),
      figures::Width::two_columns, std::nullopt, Timeline(record).chart()};
}

}  // namespace memuse::report
