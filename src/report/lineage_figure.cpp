#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/text.h"
#include "report/attribution_figures.h"
#include "report/lane_events.h"
#include "report/lane_figures.h"

namespace memuse::report {
namespace {

using figures::LaneChart;
using figures::LaneEvent;
using graph::Change;
using graph::ItemLineage;
using graph::ItemVersion;

constexpr std::size_t kTextInLabel = 40;  // bytes of a version that has no id

class LineageDrawing {
 public:
  explicit LineageDrawing(const ItemLineage& lineage) : lineage_(lineage) {
    by_position_ = std::all_of(lineage.episodes.begin(), lineage.episodes.end(),
                               [](const graph::EpisodeNode& episode) { return episode.position.has_value(); });
  }

  LaneChart chart() {
    chart_.axis_label = by_position_ ? "task position" : "episode";
    chart_.visible_name = "until it was replaced";
    chart_.arrow_name = "made from";
    settle_bounds();
    const std::size_t drawn = std::min(lineage_.versions.size(), kMostLanes);
    for (std::size_t v = 0; v < drawn; ++v) add_version(v);
    for (std::size_t v = 0; v < drawn; ++v) add_parents(v);
    for (const graph::Showing& showing : lineage_.showings) add_showing(showing);
    add_changes();
    add_notes(drawn);
    return std::move(chart_);
  }

 private:
  [[nodiscard]] double place(std::size_t episode) const {
    if (by_position_) return static_cast<double>(*lineage_.episodes[episode].position);
    return static_cast<double>(episode + 1);
  }

  void settle_bounds() {
    if (lineage_.episodes.empty()) return;
    double low = place(0);
    double high = low;
    for (std::size_t i = 0; i < lineage_.episodes.size(); ++i) {
      low = std::min(low, place(i));
      high = std::max(high, place(i));
    }
    chart_.first = static_cast<std::uint64_t>(low);
    chart_.last = static_cast<std::uint64_t>(high);
  }

  [[nodiscard]] std::string outcome(std::size_t episode) const {
    const std::optional<bool>& resolved = lineage_.episodes[episode].resolved;
    return !resolved ? "a task of unknown outcome" : *resolved ? "a resolved task" : "a failed task";
  }

  [[nodiscard]] std::string label(const ItemVersion& version) const {
    std::string text = version.version;
    if (text.empty()) text = version.text ? shortened(printable(*version.text), kTextInLabel) : "no version id";
    if (version.kin != graph::Kin::own) text = version.item + " " + text;
    if (!version.maker) return text + "; origin not recorded";
    return fmt::format("{}; from {}", text, outcome(lineage_.changes[*version.maker].episode));
  }

  void add_version(std::size_t index) {
    const ItemVersion& version = lineage_.versions[index];
    LaneChart::Lane lane;
    lane.label = label(version);
    if (version.maker) {
      const Change& maker = lineage_.changes[*version.maker];
      const double from = place(maker.episode);
      lane.marks.push_back({maker.op == MemoryOp::create ? LaneEvent::created : LaneEvent::updated, from});
      double until = static_cast<double>(chart_.last);
      if (version.replaced_by && lineage_.versions[*version.replaced_by].maker) {
        until = place(lineage_.changes[*lineage_.versions[*version.replaced_by].maker].episode);
      }
      if (until >= from && version.kin == graph::Kin::own) {
        lane.bands.push_back({LaneChart::Band::Kind::visible, from, until});
      }
    }
    chart_.lanes.push_back(std::move(lane));
  }

  void add_parents(std::size_t index) {
    const ItemVersion& version = lineage_.versions[index];
    if (!version.maker) return;
    for (const graph::Parent& parent : version.parents) {
      if (!parent.index) {
        ++unknown_parents_;
      } else if (*parent.index < chart_.lanes.size() && *parent.index != index) {
        chart_.arrows.push_back({*parent.index, index, place(lineage_.changes[*version.maker].episode)});
      }
    }
  }

  void add_showing(const graph::Showing& showing) {
    if (showing.version >= chart_.lanes.size()) {
      ++showings_not_drawn_;
      return;
    }
    LaneChart::Lane& lane = chart_.lanes[showing.version];
    const double at = place(showing.exposure.episode);
    lane.marks.push_back({LaneEvent::delivery, at});
    if (!showing.exposure.answer) return;
    if (const auto event = use_event(showing.exposure.answer->labels)) lane.marks.push_back({*event, at});
  }

  /// Deletions, on the lane of the version that was there.
  void add_changes() {
    for (const Change& change : lineage_.changes) {
      if (change.item != lineage_.item) continue;
      if (change.op == MemoryOp::noop) ++left_as_it_was_;
      if (change.op != MemoryOp::delete_item) continue;
      std::optional<std::size_t> last;
      for (std::size_t v = 0; v < std::min(lineage_.versions.size(), chart_.lanes.size()); ++v) {
        const ItemVersion& version = lineage_.versions[v];
        if (version.kin != graph::Kin::own) continue;
        if (!version.maker || place(lineage_.changes[*version.maker].episode) <= place(change.episode)) last = v;
        if (change.version && version.version == *change.version) {
          last = v;
          break;
        }
      }
      if (last) chart_.lanes[*last].marks.push_back({LaneEvent::deleted, place(change.episode)});
    }
  }

  void add_notes(std::size_t drawn) {
    const auto note = [&](std::size_t count, const char* one, const char* many) {
      if (count > 0) chart_.notes.push_back(fmt::format("{} {}.", count, count == 1 ? one : many));
    };
    note(lineage_.versions.size() - drawn, "more version is not drawn", "more versions are not drawn");
    note(showings_not_drawn_, "delivery of a version without a lane is not drawn",
         "deliveries of versions without a lane are not drawn");
    note(unknown_parents_, "parent version is nowhere else in the record",
         "parent versions are nowhere else in the record");
    note(left_as_it_was_, "operation looked at it and left it as it was",
         "operations looked at it and left it as it was");
    if (lineage_.showings.empty()) chart_.notes.emplace_back("It was never delivered.");
    if (!by_position_) {
      chart_.notes.emplace_back("Not every task has a position: episodes stand in the order of the database.");
    }
  }

  const ItemLineage& lineage_;
  bool by_position_ = true;
  LaneChart chart_;
  std::size_t unknown_parents_ = 0, showings_not_drawn_ = 0, left_as_it_was_ = 0;
};

}  // namespace

std::vector<figures::Figure> lineage_figures(const std::vector<ItemLineage>& lineages, const JudgementSetRecord& set) {
  std::vector<figures::Figure> figures;
  for (const ItemLineage& lineage : lineages) {
    std::string name = "lineage-" + figure_file_name(lineage.item, 40);
    if (lineages.size() > 1) {
      name += "-" + figure_file_name(lineage.configuration, 20) + "-" + figure_file_name(lineage.run, 20);
    }
    figures.push_back(
        {name,
         fmt::format(
             "Item {} of {}, run {}{}: a lane per version over the tasks of the run, its making, what it was made "
             "from, its deliveries (one bar per span) and what came of them. {}.",
             printable(lineage.item), printable(lineage.configuration), printable(lineage.run),
             lineage.store.empty() ? std::string() : ", store " + printable(lineage.store), judge_words(set)),
         figures::Width::two_columns, std::nullopt, LineageDrawing(lineage).chart()});
  }
  make_figure_names_unique(figures);
  return figures;
}

}  // namespace memuse::report
