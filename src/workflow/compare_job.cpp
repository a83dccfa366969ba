#include "workflow/compare_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "attribution/collector.h"
#include "model/error.h"
#include "model/text.h"
#include "store/database.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "store/study_facts.h"
#include "workflow/judgement_sets.h"

namespace memuse::workflow {
namespace {

void check_configurations(const store::Database& database, const std::vector<std::string>& asked) {
  if (asked.size() < 2)
    throw Error(ExitCode::usage, "name two configurations or more: the first is compared with the others");
  std::set<std::string> known;
  for (const store::RunRecord& run : store::runs(database)) known.insert(run.configuration);
  std::set<std::string> seen;
  for (const std::string& configuration : asked) {
    if (known.count(configuration) == 0) {
      std::string list;
      for (const std::string& name : known) list += fmt::format("\n  {}", printable(name));
      throw Error(ExitCode::usage,
                  fmt::format("there is no configuration '{}'; there are:{}", printable(configuration), list));
    }
    if (!seen.insert(configuration).second) {
      throw Error(ExitCode::usage, fmt::format("configuration '{}' is named twice", printable(configuration)));
    }
  }
}

/// The measures of the family, in the order of the table and each once.
std::vector<std::string> family_of(const std::vector<std::string>& asked) {
  if (asked.empty()) return attribution::default_family();
  std::vector<std::string> family;
  std::set<std::string> rest(asked.begin(), asked.end());
  std::string known;
  for (const attribution::ComparedMeasure& measure : attribution::compared_measures()) {
    const std::string key(measure.key);
    known += (known.empty() ? "" : ", ") + key;
    if (rest.erase(key) > 0) family.push_back(key);
  }
  if (!rest.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("there is no measure '{}'; there are: {}", printable(*rest.begin()), known));
  }
  return family;
}

attribution::StudyFacts collect(const store::Database& database, const CompareOptions& options,
                                const JudgementSetRecord& set) {
  attribution::Collector collector(options.prices.price_of);
  const auto set_id = set.judge.empty() ? std::nullopt : std::optional(set.id);
  for (const std::string& configuration : options.configurations) {
    store::for_each_episode(database, {configuration, std::nullopt, std::nullopt}, set_id,
                            [&](const EpisodeSpansRecord& record) {
                              collector.add(record);
                              return true;
                            });
  }
  const std::set<std::string> baselines = store::baselines(database);
  return collector.finish(rules::assessed_signals(set), baselines.empty() ? std::string() : *baselines.begin());
}

}  // namespace

report::CompareReport compare_configurations(const CompareOptions& options) {
  report::CompareReport report;
  report.request.family = family_of(options.measures);
  const store::Database database = store::Database::open_existing(options.database);
  check_configurations(database, options.configurations);
  report.set = choose_judgement_set(store::judgement_sets(database), options.judge);
  report.set.agreements = known_agreements(database, report.set);
  report.request.first = options.configurations.front();
  report.request.seconds.assign(options.configurations.begin() + 1, options.configurations.end());
  report.request.resampling = options.resampling;
  report.family_name =
      options.family.empty() ? fmt::format("comparisons with {}", options.configurations.front()) : options.family;
  report.declared = options.factor;
  report.cost_sentence = options.prices.sentence();
  report.study = collect(database, options, report.set);
  report.comparisons = attribution::compare_configurations(report.study, report.request);
  return report;
}

}  // namespace memuse::workflow
