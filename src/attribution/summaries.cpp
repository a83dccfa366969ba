#include "attribution/summaries.h"

#include <algorithm>
#include <map>
#include <set>

#include "stats/quantile.h"

namespace memuse::attribution {
namespace {

std::optional<DelaySummary> summarise_delays(const StudyFacts& study, const Episodes& episodes) {
  std::vector<double> delays;
  for (const EpisodeFacts* facts : episodes) {
    const auto of_episode = study.delays_of(*facts);
    delays.insert(delays.end(), of_episode.begin(), of_episode.end());
  }
  if (delays.empty()) return std::nullopt;
  std::sort(delays.begin(), delays.end());
  return DelaySummary{delays.size(), *stats::quantile(delays, 0.25), *stats::quantile(delays, 0.5),
                      *stats::quantile(delays, 0.75), static_cast<std::uint32_t>(delays.back())};
}

/// What the baseline's runs came to on a task.
struct BaselineTask {
  std::uint32_t solved = 0;
  std::uint32_t known = 0;  ///< runs with an outcome
};

std::map<NameId, BaselineTask> baseline_tasks(const Episodes& baseline) {
  std::map<NameId, BaselineTask> tasks;
  for (const EpisodeFacts* facts : baseline) {
    if (facts->task == 0) continue;
    BaselineTask& task = tasks[facts->task];
    if (facts->resolved) ++task.known;
    if (facts->resolved == true) ++task.solved;
  }
  return tasks;
}

void add_episode(const EpisodeFacts& facts, DifficultyLevel& level) {
  level.outcomes.add(facts.resolved);
  if (facts.acted_on() > 0) ++level.with_acted_on;
  if (facts.beneficial() > 0) ++level.with_beneficial;
}

}  // namespace

std::optional<double> CostSum::per_episode() const {
  const std::uint64_t known = episodes - episodes_without_full_cost;
  return known > 0 ? std::optional(usd / static_cast<double>(known)) : std::nullopt;
}

CostSum sum_costs(const Episodes& episodes) {
  CostSum sum;
  for (const EpisodeFacts* facts : episodes) {
    ++sum.episodes;
    const std::optional<double> usd = facts->cost.usd();
    sum.usd += usd.value_or(0.0);
    if (!usd) ++sum.episodes_without_full_cost;
    if (usd && facts->cost.is_estimated()) ++sum.episodes_estimated;
    sum.calls += facts->agent.calls + facts->side.calls;
    sum.calls_without_cost += facts->cost.unknown_calls();
  }
  return sum;
}

void OutcomeCounts::add(const std::optional<bool>& outcome) {
  if (!outcome) {
    ++unknown;
  } else if (*outcome) {
    ++resolved;
  } else {
    ++failed;
  }
}

UseSummary summarise_use(const StudyFacts& study, const Episodes& episodes) {
  UseSummary use;
  for (const EpisodeFacts* facts : episodes) {
    use.profiled_spans += facts->profiled_spans;
    use.assessed += facts->assessed;
    use.relevant += facts->relevant();
    use.unused += facts->unused;
    use.novel_unused += facts->novel_unused;
    use.acted_on += facts->acted_on();
    use.improved += facts->beneficial();
    use.no_effect += facts->no_effect;
    use.harmed += facts->harmful();
    use.undetermined += facts->undetermined();
    if (facts->beneficial() > 0) use.beneficial.add(facts->resolved);
    if (facts->harmful() > 0) use.harmful.add(facts->resolved);
  }
  use.delay = summarise_delays(study, episodes);
  return use;
}

bool effects_assessed(const Episodes& episodes, rules::AssessedSignals assessed) {
  return std::any_of(episodes.begin(), episodes.end(), [&assessed](const EpisodeFacts* facts) {
    return facts->profiled_spans > 0 && (facts->has_probe || !assessed.effects_need_probe);
  });
}

std::vector<FormSummary> summarise_forms(const StudyFacts& study, const Episodes& episodes) {
  std::map<std::uint32_t, FormSummary> forms;
  for (const EpisodeFacts* facts : episodes) {
    for (const FormFacts& form : study.forms_of(*facts)) {
      FormSummary& sum = forms[form.form];
      sum.form = form.form;
      sum.deliveries += form.deliveries;
      sum.tokens += form.tokens(study.profile.estimator);
      sum.assessed += form.assessed;
      sum.relevant += form.relevant;
      sum.acted_on += form.acted_on;
      sum.beneficial += form.beneficial;
      sum.harmful += form.harmful;
    }
  }
  std::vector<FormSummary> sorted;
  for (const auto& [id, form] : forms) sorted.push_back(form);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FormSummary& a, const FormSummary& b) { return a.tokens > b.tokens; });
  return sorted;
}

Difficulty group_by_difficulty(const Episodes& baseline, const Episodes& memory) {
  Difficulty difficulty;
  std::set<NameId> runs;
  for (const EpisodeFacts* facts : baseline) runs.insert(facts->run);
  difficulty.baseline_runs = static_cast<std::uint32_t>(runs.size());
  for (std::uint32_t solved = 0; solved <= difficulty.baseline_runs; ++solved) {
    difficulty.levels.emplace_back().solved_by = solved;
  }
  DifficultyLevel not_known;
  const std::map<NameId, BaselineTask> tasks = baseline_tasks(baseline);
  const auto level_of = [&](const BaselineTask& task) -> DifficultyLevel& {
    return task.known == difficulty.baseline_runs ? difficulty.levels[task.solved] : not_known;
  };
  for (const auto& [id, task] : tasks) ++level_of(task).tasks;
  for (const EpisodeFacts* facts : memory) {
    const auto task = tasks.find(facts->task);
    if (task == tasks.end()) {
      ++difficulty.episodes_without_baseline;
    } else {
      add_episode(*facts, level_of(task->second));
    }
  }
  if (not_known.tasks > 0) difficulty.levels.push_back(not_known);
  return difficulty;
}

}  // namespace memuse::attribution
