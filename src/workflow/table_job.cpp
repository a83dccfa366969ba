#include "workflow/table_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

/// Throws Error(usage) that lists what there is.
void require_configuration(const attribution::StudyFacts& facts, const std::string& name, const std::string& what) {
  const auto& known = facts.profile.configurations;
  const auto is_named = [&name](const rules::ConfigurationProfile& c) { return c.configuration == name; };
  if (std::any_of(known.begin(), known.end(), is_named)) return;
  std::string message = fmt::format("{}: there is no configuration '{}'; there are:", what, printable(name));
  for (const rules::ConfigurationProfile& configuration : known) {
    message += "\n  " + printable(configuration.configuration);
  }
  throw Error(ExitCode::usage, message);
}

void check_groups(const attribution::StudyFacts& facts, const std::vector<report::ConfigurationGroup>& groups) {
  std::set<std::string> names;
  for (const report::ConfigurationGroup& group : groups) {
    if (!names.insert(group.name).second) {
      throw Error(ExitCode::usage, fmt::format("--group names '{}' twice", printable(group.name)));
    }
    std::set<std::string> members;
    for (const std::string& configuration : group.configurations) {
      require_configuration(facts, configuration, "--group " + printable(group.name));
      if (!members.insert(configuration).second) {
        throw Error(ExitCode::usage, fmt::format("--group {}: '{}' stands in it twice", printable(group.name),
                                                 printable(configuration)));
      }
    }
  }
}

/// By configuration and run, as the facts are ordered.
std::vector<report::RunCost> costs_by_run(const attribution::StudyFacts& facts) {
  std::vector<report::RunCost> costs;
  for (const attribution::EpisodeFacts& episode : facts.episodes) {
    const std::string& configuration = facts.name(episode.configuration);
    const std::string& run = facts.name(episode.run);
    if (costs.empty() || costs.back().configuration != configuration || costs.back().run != run) {
      costs.push_back({configuration, run, {}, {}});
    }
    costs.back().agent += episode.cost.agent;
    costs.back().side += episode.cost.side;
  }
  return costs;
}

}  // namespace

StudyTables::StudyTables(const Study& study, TableJobOptions options)
    : study_(&study),
      options_(std::move(options)),
      facts_(study.facts(options_.prices.price_of)),
      set_(study.judgement_set()),
      judging_(study.judging_work()) {
  set_.agreements = study.agreements();
  options_.tables.cost_sentence = options_.prices.sentence();
  if (!options_.baseline.empty()) {
    require_configuration(facts_, options_.baseline, "--baseline");
    facts_.profile.baseline = options_.baseline;
  }
  check_groups(facts_, options_.tables.groups);
}

std::optional<std::string> StudyTables::lacks(const std::string& name) const {
  if (name != "difficulty") return std::nullopt;
  const std::string& baseline = facts_.profile.baseline;
  if (baseline.empty()) return "no baseline is named (--baseline NAME, or column `baseline` of the manifest)";
  if (attribution::episodes_of(facts_, baseline).empty()) return "the baseline has no episodes";
  return std::nullopt;
}

report::Table StudyTables::units() const {
  // Without a price table there is nothing beside the recorded costs.
  const auto costs = options_.prices.is_used() ? costs_by_run(facts_) : std::vector<report::RunCost>{};
  report::Table table = report::units_table(facts_.profile, set_, options_.tables.pooling, judging_, costs);
  if (!options_.prices.is_used()) return table;
  table.caption += " " + options_.prices.sentence();
  const rules::CallCost judge = rules::judge_cost(set_, options_.prices.price_of);
  if (judge.estimated_calls > 0) {
    table.caption += fmt::format(" The judge, estimated: {:.4f} US dollars.", judge.estimated_usd);
  }
  return table;
}

report::Table StudyTables::table(const std::string& name) const {
  if (const auto missing = lacks(name)) {
    throw Error(ExitCode::usage, fmt::format("the table {} cannot be made: {}", name, *missing));
  }
  const report::TableOptions& options = options_.tables;
  if (name == "success") return report::success_table(facts_, set_, options);
  if (name == "profile") return report::profile_table(facts_, set_, options);
  if (name == "runs") return report::runs_table(facts_.profile, set_);
  if (name == "use") return report::use_table(facts_, set_, options);
  if (name == "difficulty") return report::difficulty_table(facts_, set_, options);
  if (name == "forms") return report::forms_table(facts_, set_, options);
  if (name == "origins") return study_->origins_table(options.pooling);
  if (name == "units") return units();
  throw Error(ExitCode::usage, fmt::format("unknown table '{}'", printable(name)));
}

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> names{"success",    "profile", "runs",    "use",
                                              "difficulty", "forms",   "origins", "units"};
  return names;
}

}  // namespace memuse::workflow
