#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/text.h"
#include "report/lineage_words.h"
#include "report/show.h"
#include "report/show_common.h"
#include "report/table.h"
#include "report/text_layout.h"

// The view of one item: who made its versions and from what, where they were delivered, what came of it.

namespace memuse::report {
namespace {

using graph::ItemLineage;
using graph::ItemVersion;
using graph::Kin;
using graph::Showing;

class ItemView {
 public:
  ItemView(const ItemLineage& lineage, const ShowOptions& options)
      : lineage_(lineage), options_(options), paint_(options.colour) {}

  std::string text() {
    add(paint_.bold(fmt::format("Item {}", safe(lineage_.item))) + "\n");
    add(hanging("",
                fmt::format("configuration {} · run {} · store {}", safe(lineage_.configuration), safe(lineage_.run),
                            safe(lineage_.store)),
                options_.width));
    add(rule(options_.width));
    add(field("Exposed", exposed_text(lineage_), options_.width));
    add(field("Judge", options_.judge.empty() ? "—" : safe(options_.judge), options_.width));
    add_versions(Kin::own, "Versions");
    add_versions(Kin::ancestor, "Made from other items");
    add_versions(Kin::descendant, "Made into other items");
    add_other_changes();
    add_exposures();
    add_returns();
    return std::move(out_);
  }

 private:
  void add(const std::string& text) { out_ += text; }

  // --- versions ----------------------------------------------------------------------------------------------------

  void add_versions(Kin kin, std::string_view heading) {
    const bool any = std::any_of(lineage_.versions.begin(), lineage_.versions.end(),
                                 [kin](const ItemVersion& version) { return version.kin == kin; });
    if (!any && kin != Kin::own) return;
    add("\n" + paint_.bold(heading) + "\n");
    if (!any) return add("— (the trace names no version of this item)\n");
    for (std::size_t i = 0; i < lineage_.versions.size(); ++i) {
      if (lineage_.versions[i].kin == kin) add_version(i);
    }
  }

  void add_version(std::size_t index) {
    const ItemVersion& version = lineage_.versions[index];
    add(hanging(fmt::format("{:<4}", version_label(index)), version_heading(version), options_.width));
    const auto line = [this](std::string_view label, std::string_view text) {
      add(hanging(fmt::format("    {:<13}", label), text, options_.width));
    };
    if (version.maker) {
      const graph::Change& maker = lineage_.changes[*version.maker];
      line(maker.op == MemoryOp::create ? "created in" : "updated in", change_place(lineage_, maker));
      if (!maker.steps.empty()) line("from steps", steps_text(maker.steps));
      if (!maker.operation.empty()) line("operation", safe(maker.operation));
    } else {
      line("created in", "— (no recorded operation made this version)");
    }
    if (!version.parents.empty()) {
      line(version.is_merge(lineage_.versions) ? "merged from" : "updated from", parents_text(lineage_, version));
    } else if (version.maker && lineage_.changes[*version.maker].op == MemoryOp::update) {
      line("updated from", "— (the trace does not say from which version)");
    }
    if (version.replaced_by) line("replaced by", version_label(*version.replaced_by));
    if (version.text) add(hanging("      │ ", printable(*version.text, true), options_.width));
  }

  static std::string version_heading(const ItemVersion& version) {
    std::string out = version.version.empty() ? "(no version id)" : safe(version.version);
    if (version.kin != Kin::own) out += fmt::format(" of item {}", safe(version.item));
    return out;
  }

  /// What did not make a version: no-ops and deletions; and second operations that made one again.
  void add_other_changes() {
    std::string lines;
    for (std::size_t i = 0; i < lineage_.changes.size(); ++i) {
      const graph::Change& change = lineage_.changes[i];
      const bool is_maker = std::any_of(lineage_.versions.begin(), lineage_.versions.end(),
                                        [i](const ItemVersion& version) { return version.maker == i; });
      if (is_maker || change.item != lineage_.item) continue;
      std::string text = change_place(lineage_, change);
      if (change.version) {
        if (const auto version = own_version(lineage_, *change.version)) text += ": " + version_label(*version);
      }
      lines += hanging(fmt::format("{:<8}", name(change.op)), text, options_.width);
    }
    if (!lines.empty()) add("\n" + paint_.bold("Other operations") + "\n" + lines);
  }

  // --- exposures ---------------------------------------------------------------------------------------------------

  void add_exposures() {
    if (lineage_.showings.empty()) return add("\nNever delivered.\n");
    Table table;
    table.columns = {{"position", "Pos."},
                     {"episode", "Episode", Align::left, 24},
                     {"place", "Entry", Align::left, 8},
                     {"outcome", "Outcome", Align::left, 8},
                     {"version", "Version", Align::left, 8},
                     {"origin", "Origin", Align::left, 26},
                     {"deliveries", "Del."},
                     {"window", "Window", Align::left, 8},
                     {"use", "Use", Align::left, 21},
                     {"acted_on_at", "At step", Align::left, 9},
                     {"verdict", "Span", Align::left, 12}};
    table.label_columns = 3;
    for (const Showing& showing : lineage_.showings) table.rows.push_back({{}, {}, cells_of(showing)});
    TableStyle style;
    style.width = options_.width;
    style.bold = options_.colour;
    add("\n" + paint_.bold("Exposures") + "\n" + to_text(table, style));
  }

  std::vector<Cell> cells_of(const Showing& showing) const {
    const graph::EpisodeNode& episode = lineage_.episode_of(showing);
    const graph::Exposure& exposure = showing.exposure;
    const auto& answer = exposure.answer;
    const std::string anchors = answer ? acted_on_text(*answer) : std::string();
    return {episode.position ? Cell::count(*episode.position) : Cell::missing(),
            Cell::text(episode.episode),
            Cell::text(entry_label(exposure.span, exposure.entry)),
            Cell::text(std::string(outcome_word(episode))),
            Cell::text(version_label(showing.version)),
            Cell::text(origin_text(lineage_, showing)),
            Cell::count(exposure.placements.size()),
            Cell::text(exposure.window ? fmt::format("{}–{}", exposure.window->first, exposure.window->last) : "empty"),
            answer ? Cell::text(use_text(answer->labels)) : Cell::missing(),
            anchors.empty() ? Cell::missing() : Cell::text(anchors),
            Cell::text(exposure.verdict ? std::string(name(*exposure.verdict)) : std::string(name(exposure.status)))};
  }

  void add_returns() {
    if (lineage_.returns.empty()) return;
    std::set<std::size_t> episodes;
    for (const graph::Return& returned : lineage_.returns) episodes.insert(returned.episode);
    add("\n" + fmt::format("Returned by {} in {}.\n", plural_of(lineage_.returns.size(), "search", "searches"),
                           plural(episodes.size(), "episode")));
  }

  const ItemLineage& lineage_;
  const ShowOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string show_item(const ItemLineage& lineage, const ShowOptions& options) {
  return ItemView(lineage, options).text();
}

}  // namespace memuse::report
