#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "figures/figure_files.h"
#include "report/lane_figures.h"

namespace memuse::report {
namespace {

using figures::LaneChart;
using figures::LaneEvent;

LaneChart lanes_of(const figures::Figure& figure) {
  return std::get<LaneChart>(figure.chart);
}

/// Kinds and places of a lane's marks, as one text.
std::string marks_of(const LaneChart::Lane& lane) {
  std::string text;
  for (const LaneChart::Mark& mark : lane.marks) {
    text += std::to_string(static_cast<int>(mark.event)) + "@" + std::to_string(static_cast<int>(mark.place)) + " ";
  }
  return text;
}

std::string mark(LaneEvent event, int place) {
  return std::to_string(static_cast<int>(event)) + "@" + std::to_string(place) + " ";
}

bool has_note(const LaneChart& chart, const std::string& part) {
  return std::any_of(chart.notes.begin(), chart.notes.end(),
                     [&part](const std::string& note) { return note.find(part) != std::string::npos; });
}

EntryRecord entry_of(std::uint32_t index, std::optional<Window> window, std::optional<Influence> influence,
                     std::optional<Effect> effect, std::vector<std::uint32_t> anchors) {
  EntryRecord entry;
  entry.entry = index;
  entry.item = "note-" + std::to_string(index);
  entry.window = window;
  if (window) {
    entry.answer = EntryAnswer{};
    entry.answer->labels.influence = influence;
    entry.answer->labels.effect = effect;
    entry.answer->anchors = std::move(anchors);
  }
  return entry;
}

SpanRecord span_of(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
  SpanRecord span;
  span.number = number;
  span.first_step = first;
  span.last_step = last;
  span.status = SpanStatus::judged;
  DeliveryRecord target;
  target.step = first;
  target.form = "pinned";
  span.deliveries.push_back(target);
  return span;
}

EpisodeSpansRecord worked_episode() {
  EpisodeSpansRecord record;
  record.episode.configuration = "cards";
  record.episode.run = "r1";
  record.episode.episode = "fare/dock";
  record.episode.steps = 12;
  record.episode.resolved = true;
  SpanRecord first = span_of(1, 2, 8);
  first.deliveries.push_back(first.deliveries[0]);
  first.deliveries[1].restatement = true;
  first.deliveries[1].step = 5;
  first.entries = {entry_of(0, Window{2, 8}, Influence::acted_on, Effect::improved, {3, 6}),
                   entry_of(1, std::nullopt, {}, {}, {})};
  SpanRecord second = span_of(2, 9, 12);
  second.entries = {entry_of(0, Window{9, 12}, Influence::selected, {}, {10})};
  record.spans = {first, second};
  return record;
}

graph::EpisodeNode task_at(std::uint64_t position, std::optional<bool> resolved) {
  graph::EpisodeNode node;
  node.episode = "t" + std::to_string(position);
  node.position = position;
  node.resolved = resolved;
  return node;
}

graph::Change change_of(std::size_t episode, MemoryOp op, const std::string& item, const std::string& version) {
  graph::Change change;
  change.episode = episode;
  change.op = op;
  change.item = item;
  change.version = version;
  return change;
}

graph::ItemVersion version_of(const std::string& item, const std::string& version, graph::Kin kin,
                              std::optional<std::size_t> maker) {
  graph::ItemVersion made;
  made.item = item;
  made.version = version;
  made.kin = kin;
  made.maker = maker;
  return made;
}

graph::Showing showing_of(std::size_t episode, std::size_t version, std::optional<Labels> labels) {
  graph::Showing showing;
  showing.exposure.episode = episode;
  showing.version = version;
  if (labels) {
    showing.exposure.answer = EntryAnswer{};
    showing.exposure.answer->labels = *labels;
  }
  return showing;
}

/// Made at task 3 in a failed episode, updated at 7 from itself and another item, read at 5, 8 and 9, deleted at 11.
graph::ItemLineage worked_lineage() {
  graph::ItemLineage lineage;
  lineage.configuration = "cards";
  lineage.run = "r1";
  lineage.item = "N1";
  for (const std::uint64_t position : {3U, 5U, 7U, 8U, 9U, 11U}) lineage.episodes.push_back(task_at(position, true));
  lineage.episodes[0].resolved = false;
  lineage.changes = {change_of(0, MemoryOp::create, "N1", "v1"), change_of(1, MemoryOp::noop, "N1", ""),
                     change_of(2, MemoryOp::update, "N1", "v2"), change_of(5, MemoryOp::delete_item, "N1", "v2")};
  lineage.versions = {version_of("N1", "v1", graph::Kin::own, 0), version_of("N1", "v2", graph::Kin::own, 2),
                      version_of("N9", "v4", graph::Kin::ancestor, std::nullopt)};
  lineage.versions[0].replaced_by = 1;
  lineage.versions[1].parents = {{"v1", 0}, {"v4", 2}, {"v0", std::nullopt}};
  Labels improved;
  improved.influence = Influence::acted_on;
  improved.effect = Effect::improved;
  Labels unused;
  unused.influence = Influence::none;
  lineage.showings = {showing_of(1, 0, improved), showing_of(3, 1, unused), showing_of(4, 1, std::nullopt)};
  return lineage;
}

}  // namespace

TEST_CASE("a timeline has a lane per entry with deliveries, windows and anchored uses") {
  const figures::Figure figure = timeline_figure(worked_episode(), {});
  CHECK(figure.name == "timeline-fare_dock");
  const LaneChart chart = lanes_of(figure);
  CHECK(chart.last == 12);
  CHECK(chart.end == "resolved");
  REQUIRE(chart.lanes.size() == 3);
  CHECK(chart.lanes[0].label == "S1  note-0");
  CHECK(chart.lanes[1].label == "note-1");
  CHECK(chart.lanes[1].follows);
  CHECK(chart.lanes[2].label == "S2  note-0");
  CHECK_FALSE(chart.lanes[2].follows);
  CHECK(marks_of(chart.lanes[0]) == mark(LaneEvent::delivery, 2) + mark(LaneEvent::restatement, 5) +
                                        mark(LaneEvent::improved, 3) + mark(LaneEvent::improved, 6));
  REQUIRE(chart.lanes[0].bands.size() == 2);
  CHECK(chart.lanes[0].bands[1].first == 2.0);
  CHECK(chart.lanes[0].bands[1].last == 8.0);
  CHECK(chart.lanes[1].bands.size() == 1);  // an empty window
  CHECK(marks_of(chart.lanes[2]) == mark(LaneEvent::delivery, 9) + mark(LaneEvent::mentioned, 10));
  REQUIRE(chart.arrows.size() == 2);
  CHECK(chart.arrows[1].to == 2);
  CHECK(chart.arrows[1].place == 9.0);
  CHECK(chart.notes.empty());
}

TEST_CASE("every effect has a mark of its own in a timeline") {
  const std::vector<std::pair<std::optional<Effect>, LaneEvent>> effects{{Effect::improved, LaneEvent::improved},
                                                                         {Effect::no_effect, LaneEvent::no_effect},
                                                                         {Effect::harmed, LaneEvent::harmed},
                                                                         {std::nullopt, LaneEvent::undetermined}};
  for (const auto& [effect, event] : effects) {
    EpisodeSpansRecord record = worked_episode();
    record.spans[0].entries[0].answer->labels.effect = effect;
    CHECK(lanes_of(timeline_figure(record, {})).lanes[0].marks.back().event == event);
  }
  EpisodeSpansRecord record = worked_episode();
  record.spans[0].entries[0].answer->labels.influence.reset();
  CHECK(lanes_of(timeline_figure(record, {})).lanes[0].marks.size() == 2);
}

TEST_CASE("a timeline says what it can not show") {
  EpisodeSpansRecord record = worked_episode();
  record.episode.resolved.reset();
  record.unconsumed.resize(2);
  record.spans[0].entries[0].answer->anchors.clear();
  record.spans[1].status = SpanStatus::unresolved;
  const LaneChart chart = lanes_of(timeline_figure(record, {}));
  CHECK(chart.end == "outcome unknown");
  CHECK(has_note(chart, "2 deliveries that no step read"));
  CHECK(has_note(chart, "the use of 1 entry"));
  CHECK(has_note(chart, "1 span is without an accepted answer"));
  EpisodeSpansRecord empty = worked_episode();
  empty.spans.clear();
  CHECK(has_note(lanes_of(timeline_figure(empty, {})), "Nothing was delivered"));
}

TEST_CASE("a timeline of many spans keeps those that were acted on") {
  EpisodeSpansRecord record = worked_episode();
  record.episode.steps = 500;
  record.spans.clear();
  for (std::uint32_t number = 1; number <= 60; ++number) {
    SpanRecord span = span_of(number, number * 8, number * 8 + 4);
    const bool acted = number > 50;
    span.entries = {entry_of(0, Window{number * 8, number * 8 + 4}, acted ? Influence::acted_on : Influence::none, {},
                             {number * 8})};
    record.spans.push_back(span);
  }
  const LaneChart chart = lanes_of(timeline_figure(record, {}));
  REQUIRE(chart.lanes.size() == kMostLanes);
  CHECK(chart.lanes.front().label == "S1  note-0");
  CHECK(chart.lanes.back().label == "S60  note-0");
  CHECK(has_note(chart, "20 more spans are not drawn: none of them was acted on"));
}

TEST_CASE("a timeline of many entries has a lane per span") {
  EpisodeSpansRecord record = worked_episode();
  for (std::uint32_t i = 2; i < 50; ++i) {
    record.spans[0].entries.push_back(entry_of(i, Window{3, 4}, Influence::none, {}, {}));
  }
  const LaneChart chart = lanes_of(timeline_figure(record, {}));
  REQUIRE(chart.lanes.size() == 2);
  CHECK(chart.lanes[0].label == "S1  pinned (50 entries)");
  CHECK(has_note(chart, "A lane holds all entries of its span"));
}

TEST_CASE("a lineage shows makers, parents, deliveries and the end of an item") {
  const auto drawn = lineage_figures({worked_lineage()}, {});
  REQUIRE(drawn.size() == 1);
  CHECK(drawn[0].name == "lineage-N1");
  const LaneChart chart = lanes_of(drawn[0]);
  CHECK(chart.axis_label == "task position");
  CHECK(chart.first == 3);
  CHECK(chart.last == 11);
  REQUIRE(chart.lanes.size() == 3);
  CHECK(chart.lanes[0].label == "v1; from a failed task");
  CHECK(chart.lanes[1].label == "v2; from a resolved task");
  CHECK(chart.lanes[2].label == "N9 v4; origin not recorded");
  CHECK(marks_of(chart.lanes[0]) ==
        mark(LaneEvent::created, 3) + mark(LaneEvent::delivery, 5) + mark(LaneEvent::improved, 5));
  CHECK(marks_of(chart.lanes[1]) == mark(LaneEvent::updated, 7) + mark(LaneEvent::delivery, 8) +
                                        mark(LaneEvent::delivery, 9) + mark(LaneEvent::deleted, 11));
  REQUIRE(chart.lanes[0].bands.size() == 1);
  CHECK(chart.lanes[0].bands[0].last == 7.0);
  CHECK(chart.lanes[1].bands[0].last == 11.0);
  CHECK(chart.lanes[2].bands.empty());
  REQUIRE(chart.arrows.size() == 2);
  CHECK(chart.arrows[0].from == 0U);
  CHECK(chart.arrows[1].from == 2U);
  CHECK(chart.arrows[1].to == 1);
  CHECK(chart.arrows[1].place == 7.0);
  CHECK(has_note(chart, "1 parent version is nowhere else in the record"));
  CHECK(has_note(chart, "1 operation looked at it"));
}

TEST_CASE("tasks without positions stand in the order of the database") {
  graph::ItemLineage lineage = worked_lineage();
  lineage.episodes[4].position.reset();
  const auto drawn = lineage_figures({lineage}, {});
  const LaneChart chart = lanes_of(drawn.at(0));
  CHECK(chart.axis_label == "episode");
  CHECK(chart.first == 1);
  CHECK(chart.last == 6);
  CHECK(has_note(chart, "Not every task has a position"));
}

TEST_CASE("an item of several runs has a figure for each") {
  graph::ItemLineage other = worked_lineage();
  other.run = "r 2";
  graph::ItemLineage third = worked_lineage();
  third.run = "r_2";
  const auto drawn = lineage_figures({worked_lineage(), other, third}, {});
  REQUIRE(drawn.size() == 3);
  CHECK(drawn[0].name == "lineage-N1-cards-r1");
  CHECK(drawn[1].name == "lineage-N1-cards-r_2");
  CHECK(drawn[2].name == "lineage-N1-cards-r_2-2");
  for (const figures::Figure& figure : drawn) CHECK_NOTHROW(figures::compose(figure));
}

TEST_CASE("a long lineage is cut and says so") {
  graph::ItemLineage lineage = worked_lineage();
  for (int i = 0; i < 50; ++i) lineage.versions.push_back(version_of("N1", "x", graph::Kin::own, std::nullopt));
  lineage.showings.push_back(showing_of(4, 52, std::nullopt));
  const auto drawn = lineage_figures({lineage}, {});
  const LaneChart chart = lanes_of(drawn.at(0));
  CHECK(chart.lanes.size() == kMostLanes);
  CHECK(has_note(chart, "13 more versions are not drawn"));
  CHECK(has_note(chart, "1 delivery of a version without a lane"));
}

}  // namespace memuse::report
