#include "workflow/figure_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "graph/item_lineage.h"
#include "model/error.h"
#include "model/text.h"
#include "report/attribution_figures.h"
#include "report/lane_figures.h"
#include "store/database.h"
#include "store/item_facts.h"
#include "workflow/study.h"

namespace memuse::workflow {
namespace {

bool is_of_subject(const std::string& figure) {
  return figure == "timeline" || figure == "lineage";
}

void check_figure_options(const FigureOptions& options) {
  const auto refuse = [](const std::string& message) { throw Error(ExitCode::usage, message); };
  const bool known = options.figure == "all" ||
                     std::find(figure_names().begin(), figure_names().end(), options.figure) != figure_names().end();
  if (!known) refuse(fmt::format("unknown figure '{}'", printable(options.figure)));
  if (is_of_subject(options.figure) && options.subject.empty()) {
    refuse(options.figure == "timeline"
               ? "of which episode? memuse figures timeline EPISODE; memuse show run RUN lists them"
               : "of which item? memuse figures lineage ITEM; memuse show episode EPISODE names those delivered");
  }
  if (!is_of_subject(options.figure) && !options.subject.empty()) {
    refuse(fmt::format("figure {} takes no '{}': it is about the whole study", options.figure,
                       printable(options.subject)));
  }
  const bool grouped = options.figure == "forms" || options.figure == "effects" || options.figure == "all";
  if (!options.groups.empty() && !grouped) refuse("--group is for the figures forms and effects");
  if (!options.groups.empty() && options.per_run) refuse("--group and --per-run exclude each other");
  if (options.per_run && (is_of_subject(options.figure) || options.figure == "variation")) {
    refuse(fmt::format("--per-run is not for the figure {}", options.figure));
  }
  if (options.log_shares && options.figure != "forms" && options.figure != "all") {
    refuse("--log-scale is for the figure forms");
  }
}

/// The lineages of an item, one for each configuration, run and store that has it.
std::vector<graph::ItemLineage> lineages_of(const FigureOptions& options, const JudgementSetRecord& set) {
  const store::Database database = store::Database::open_existing(options.database);
  const std::optional<std::int64_t> set_id = set.judge.empty() ? std::nullopt : std::optional(set.id);
  std::vector<graph::ItemLineage> lineages;
  for (graph::ItemFacts& facts : store::item_facts(database, {options.subject, {}, {}, {}}, set_id)) {
    lineages.push_back(graph::item_lineage(std::move(facts)));
  }
  if (lineages.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("there is no item '{}': memuse show episode EPISODE names those delivered to an episode",
                            printable(options.subject)));
  }
  return lineages;
}

report::EpisodeSet set_of(const attribution::StudyFacts& facts, const report::ConfigurationGroup& group) {
  report::EpisodeSet set{group.name, {}};
  std::set<std::string> members;
  for (const std::string& configuration : group.configurations) {
    const attribution::Episodes episodes = attribution::episodes_of(facts, configuration);
    if (episodes.empty() || !members.insert(configuration).second) {
      throw Error(ExitCode::usage,
                  fmt::format("--group {}: {} '{}'", printable(group.name),
                              episodes.empty() ? "there is no configuration" : "named twice: configuration",
                              printable(configuration)));
    }
    set.episodes.insert(set.episodes.end(), episodes.begin(), episodes.end());
  }
  return set;
}

/// The groups, then the configurations that are in none of them.
std::vector<report::EpisodeSet> grouped_sets(const attribution::StudyFacts& facts,
                                             const std::vector<report::ConfigurationGroup>& groups) {
  std::vector<report::EpisodeSet> sets;
  std::set<std::string> names;
  std::set<std::string> grouped;
  for (const report::ConfigurationGroup& group : groups) {
    if (!names.insert(group.name).second) {
      throw Error(ExitCode::usage, fmt::format("--group names '{}' twice", printable(group.name)));
    }
    sets.push_back(set_of(facts, group));
    grouped.insert(group.configurations.begin(), group.configurations.end());
  }
  for (report::EpisodeSet& set : report::episode_sets(facts, report::Pooling::configurations)) {
    if (!grouped.contains(set.name)) sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

const std::vector<std::string>& figure_names() {
  static const std::vector<std::string> names{"radar", "timeline", "forms", "variation", "effects", "lineage"};
  return names;
}

StudyFigures study_figures(const FigureOptions& options) {
  check_figure_options(options);
  StudyFigures out;
  const Study study(options.database, options.judge);
  out.contents = study.contents();
  JudgementSetRecord set = study.judgement_set();
  if (options.figure == "timeline") {
    out.figures.push_back(report::timeline_figure(study.episode(options.subject), set));
    return out;
  }
  if (options.figure == "lineage") {
    out.figures = report::lineage_figures(lineages_of(options, set), set);
    return out;
  }
  set.agreements = study.agreements();
  const attribution::StudyFacts facts = study.facts();
  const auto pooling = options.per_run ? report::Pooling::runs : report::Pooling::configurations;
  const std::vector<report::EpisodeSet> sets =
      options.groups.empty() ? report::episode_sets(facts, pooling) : grouped_sets(facts, options.groups);
  const auto add = [&](const char* name, const char* lacks, std::vector<figures::Figure> figures) {
    if (figures.empty()) out.nothing_to_draw.push_back(fmt::format("{}: nothing to draw: {}", name, lacks));
    std::move(figures.begin(), figures.end(), std::back_inserter(out.figures));
  };
  const auto asked_for = [&](const char* name) { return options.figure == name || options.figure == "all"; };
  static constexpr const char* kNoProfile = "no span has an accepted answer (memuse judge gives them)";
  if (asked_for("radar")) add("radar", kNoProfile, report::radar_figures(facts.profile, set, pooling));
  if (asked_for("forms")) {
    out.token_estimator = rules::name(facts.profile.estimator);
    const auto scale = options.log_shares ? figures::Scale::log : figures::Scale::linear;
    add("forms", "no delivery is recorded", report::forms_figures(facts, set, sets, scale));
  }
  if (asked_for("variation")) add("variation", kNoProfile, report::variation_figures(facts.profile, set));
  if (asked_for("effects")) add("effects", kNoProfile, report::effects_figures(facts, set, sets));
  return out;
}

}  // namespace memuse::workflow
