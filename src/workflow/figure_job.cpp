#include "workflow/figure_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "attribution/collector.h"
#include "graph/item_lineage.h"
#include "model/error.h"
#include "model/text.h"
#include "report/attribution_figures.h"
#include "report/lane_figures.h"
#include "store/database.h"
#include "store/item_facts.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "store/study_facts.h"
#include "workflow/judgement_sets.h"

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

/// The database with the judgement set that the figures rest on.
class FigureSource {
 public:
  explicit FigureSource(const FigureOptions& options)
      : database_(store::Database::open_existing(options.database)),
        set_(choose_judgement_set(store::judgement_sets(database_), options.judge)) {
    set_.agreements = known_agreements(database_, set_);
  }

  [[nodiscard]] const JudgementSetRecord& set() const { return set_; }

  [[nodiscard]] attribution::StudyFacts facts() const {
    attribution::Collector collector;
    store::for_each_episode(database_, {}, set_id(), [&](const EpisodeSpansRecord& record) {
      collector.add(record);
      return true;
    });
    const std::set<std::string> baselines = store::baselines(database_);
    return collector.finish(rules::assessed_signals(set_), baselines.empty() ? std::string() : *baselines.begin());
  }

  [[nodiscard]] std::vector<graph::ItemLineage> lineages(const std::string& item) const {
    std::vector<graph::ItemLineage> lineages;
    for (graph::ItemFacts& facts : store::item_facts(database_, {item, {}, {}, {}}, set_id())) {
      lineages.push_back(graph::item_lineage(std::move(facts)));
    }
    if (lineages.empty()) {
      throw Error(ExitCode::usage,
                  fmt::format("there is no item '{}': memuse show episode EPISODE names those delivered to an episode",
                              printable(item)));
    }
    return lineages;
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> set_id() const {
    return set_.judge.empty() ? std::nullopt : std::optional(set_.id);
  }

  store::Database database_;
  JudgementSetRecord set_;
};

std::vector<report::EpisodeSet> grouped_sets(const attribution::StudyFacts& facts,
                                             const std::vector<FigureGroup>& groups) {
  std::vector<report::EpisodeSet> sets;
  std::set<std::string> names;
  for (const FigureGroup& group : groups) {
    if (!names.insert(group.name).second) {
      throw Error(ExitCode::usage, fmt::format("two groups are named '{}'", printable(group.name)));
    }
    report::EpisodeSet set{group.name, {}};
    const std::set<std::string> members(group.configurations.begin(), group.configurations.end());
    for (const std::string& configuration : members) {
      const attribution::Episodes episodes = attribution::episodes_of(facts, configuration);
      if (episodes.empty()) {
        throw Error(ExitCode::usage, fmt::format("group '{}': there is no configuration '{}' in the database",
                                                 printable(group.name), printable(configuration)));
      }
      set.episodes.insert(set.episodes.end(), episodes.begin(), episodes.end());
    }
    sets.push_back(std::move(set));
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
  if (options.figure == "timeline") {
    const Study study(options.database, options.judge);
    out.figures.push_back(report::timeline_figure(study.episode(options.subject), study.judgement_set()));
    return out;
  }
  const FigureSource source(options);
  if (options.figure == "lineage") {
    out.figures = report::lineage_figures(source.lineages(options.subject), source.set());
    return out;
  }
  const attribution::StudyFacts facts = source.facts();
  const auto pooling = options.per_run ? report::Pooling::runs : report::Pooling::configurations;
  const std::vector<report::EpisodeSet> sets =
      options.groups.empty() ? report::episode_sets(facts, pooling) : grouped_sets(facts, options.groups);
  const auto add = [&](const char* name, const char* lacks, std::vector<figures::Figure> figures) {
    if (figures.empty()) out.nothing_to_draw.push_back(fmt::format("{}: nothing to draw: {}", name, lacks));
    std::move(figures.begin(), figures.end(), std::back_inserter(out.figures));
  };
  const auto asked_for = [&](const char* name) { return options.figure == name || options.figure == "all"; };
  static constexpr const char* kNoProfile = "no span has an accepted answer (memuse judge gives them)";
  if (asked_for("radar")) add("radar", kNoProfile, report::radar_figures(facts.profile, source.set(), pooling));
  if (asked_for("forms")) {
    const auto scale = options.log_shares ? figures::Scale::log : figures::Scale::linear;
    add("forms", "no delivery is recorded", report::forms_figures(facts, source.set(), sets, scale));
  }
  if (asked_for("variation")) add("variation", kNoProfile, report::variation_figures(facts.profile, source.set()));
  if (asked_for("effects")) add("effects", kNoProfile, report::effects_figures(facts, source.set(), sets));
  return out;
}

}  // namespace memuse::workflow
