#include "workflow/agree_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"
#include "store/database.h"
#include "store/judged_entries.h"
#include "store/judgements.h"
#include "workflow/judgement_sets.h"

namespace memuse::workflow {
namespace {

std::vector<JudgementSetRecord> chosen_sets(const store::Database& database, const std::vector<std::string>& names) {
  if (names.size() < 2) {
    throw Error(ExitCode::usage, "name at least two judgement sets to compare (`memuse show judges` lists them)");
  }
  const std::vector<JudgementSetRecord> all = store::judgement_sets(database);
  std::vector<JudgementSetRecord> chosen;
  for (const std::string& name : names) {
    JudgementSetRecord set = choose_judgement_set(all, name);
    const bool again = std::any_of(chosen.begin(), chosen.end(), [&](const auto& other) { return other.id == set.id; });
    if (again) {
      throw Error(ExitCode::usage, fmt::format("{} is named twice; a set agrees with itself", set_summary(set)));
    }
    chosen.push_back(std::move(set));
  }
  return chosen;
}

/// The judge's name, with the number of the set where two would read the same.
std::vector<agreement::Rater> raters_of(const std::vector<JudgementSetRecord>& sets) {
  std::vector<agreement::Rater> raters;
  for (const JudgementSetRecord& set : sets) {
    raters.push_back(agreement::rater(set));
    const auto same = std::count_if(sets.begin(), sets.end(),
                                    [&](const JudgementSetRecord& other) { return other.judge == set.judge; });
    if (same > 1) raters.back().name = fmt::format("#{} {}", set.id, set.judge);
  }
  return raters;
}

}  // namespace

report::AgreementReport compare_judgement_sets(const AgreeOptions& options) {
  const store::Database database = store::Database::open_existing(options.database);
  report::AgreementReport report;
  report.sets = chosen_sets(database, options.sets);
  report.resampling.resamples = options.resamples;
  report.resampling.seed = options.seed;
  std::vector<std::int64_t> ids;
  for (const JudgementSetRecord& set : report.sets) ids.push_back(set.id);
  agreement::AgreementTally tally(raters_of(report.sets));
  store::for_each_judged_episode(database, ids, [&](const store::JudgedEpisode& episode) {
    tally.begin_episode(episode.has_probe);
    for (const store::JudgedEntryLabels& entry : episode.entries) tally.add(entry.labels);
  });
  report.agreement = tally.finish(report.resampling);
  return report;
}

}  // namespace memuse::workflow
