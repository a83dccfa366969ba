#include "controlled/study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "controlled/checklist.h"
#include "stats/holm.h"

namespace memuse::controlled {
namespace {

constexpr std::size_t index_of(Failures failures) {
  return static_cast<std::size_t>(failures);
}

/// Pairs of each question type, and of the abstention questions.
struct PairsByType {
  std::map<std::uint32_t, std::vector<ScorePair>> types;
  std::vector<ScorePair> without;
  std::vector<ScorePair> abstention;
};

PairsByType by_type(const std::vector<ScorePair>& pairs, const Results& results) {
  PairsByType split;
  for (const ScorePair& pair : pairs) {
    const auto type = results.type_of(pair.instance);
    (type ? split.types[*type] : split.without).push_back(pair);
    if (results.is_abstention(pair.instance)) split.abstention.push_back(pair);
  }
  return split;
}

std::vector<TypeResult> type_results(const std::array<Matched, 2>& matched, const Results& results,
                                     const stats::Resampling& resampling) {
  std::map<std::uint32_t, TypeResult> types;
  TypeResult without;
  TypeResult abstention;
  abstention.abstention = true;
  for (const Failures failures : kFailureTreatments) {
    const std::size_t at = index_of(failures);
    const PairsByType split = by_type(matched[at].pairs, results);
    for (const auto& [type, pairs] : split.types) {
      TypeResult& result = types[type];
      result.type = results.question_types()[type];
      result.estimates[at] = estimate(pairs, resampling, false);
    }
    without.estimates[at] = estimate(split.without, resampling, false);
    abstention.estimates[at] = estimate(split.abstention, resampling, false);
  }
  std::vector<TypeResult> all;
  for (auto& [type, result] : types) all.push_back(std::move(result));
  if (!all.empty() && without.estimates[index_of(Failures::as_wrong)]) all.push_back(std::move(without));
  if (abstention.estimates[index_of(Failures::as_wrong)]) all.push_back(std::move(abstention));
  return all;
}

bool any_failure(const std::vector<InstanceScore>& scores) {
  return std::any_of(scores.begin(), scores.end(), [](const InstanceScore& instance) { return instance.failed > 0; });
}

/// The executions of a strategy on the instances of `pairs`.
std::vector<const Execution*> executions_on(const std::vector<ScorePair>& pairs, std::size_t strategy,
                                            const Results& results) {
  const auto& all = results.executions();
  auto at = std::lower_bound(all.begin(), all.end(), strategy, [](const Execution& execution, std::size_t wanted) {
    return execution.strategy < wanted;
  });
  auto pair = pairs.begin();
  std::vector<const Execution*> found;
  for (; at != all.end() && at->strategy == strategy; ++at) {
    while (pair != pairs.end() && pair->instance < at->instance) ++pair;
    if (pair == pairs.end()) break;
    if (pair->instance == at->instance) found.push_back(&*at);
  }
  return found;
}

/// Do executions of the same instance and run stand in the same row, all of them?
bool are_same_rows(const std::vector<const Execution*>& first, const std::vector<const Execution*>& second) {
  const auto key = [](const Execution* execution) { return std::pair(execution->instance, execution->run); };
  std::size_t paired = 0;
  auto other = second.begin();
  for (const Execution* execution : first) {
    while (other != second.end() && key(*other) < key(execution)) ++other;
    if (other == second.end()) break;
    if (key(*other) != key(execution)) continue;
    if ((*other)->place != execution->place) return false;
    ++paired;
  }
  return paired > 0;
}

/// Mean cost of an execution. A total for all instances says nothing about the compared ones, unless they are all.
std::optional<double> cost_on(const std::vector<const Execution*>& executions, std::size_t amount, const Cost& of_all,
                              bool all_are_compared) {
  if (of_all.declared) return all_are_compared ? of_all.per_execution() : std::nullopt;
  Cost cost;
  cost.executions = executions.size();
  for (const Execution* execution : executions) {
    if (std::isnan(execution->amounts[amount])) continue;
    cost.sum += execution->amounts[amount];
    ++cost.stated;
  }
  return cost.per_execution();
}

ComparisonResult compare(const Comparison& comparison, const Results& results,
                         const std::vector<std::vector<InstanceScore>>& scores,
                         const std::vector<StrategySummary>& summaries, const stats::Resampling& resampling) {
  const auto& first = scores[comparison.first];
  const auto& second = scores[comparison.second];
  ComparisonResult result;
  result.has_failures = any_failure(first) || any_failure(second);
  std::array<Matched, 2> matched;
  for (const Failures failures : kFailureTreatments) {
    const std::size_t at = index_of(failures);
    // Without failures both treatments are one: no need to resample twice.
    if (failures == Failures::as_wrong && !result.has_failures) {
      matched[at] = matched[index_of(Failures::excluded)];
      result.estimates[at] = result.estimates[index_of(Failures::excluded)];
      continue;
    }
    matched[at] = match(first, second, failures);
    result.estimates[at] = estimate(matched[at].pairs, resampling);
  }
  result.types = type_results(matched, results, resampling);
  result.dropped = std::move(matched[index_of(Failures::excluded)].dropped);
  const auto& pairs = matched[index_of(Failures::excluded)].pairs;
  const auto first_executions = executions_on(pairs, comparison.first, results);
  const auto second_executions = executions_on(pairs, comparison.second, results);
  result.same_rows = are_same_rows(first_executions, second_executions);
  for (std::size_t i = 0; i < kAmountCount; ++i) {
    const bool all = result.dropped.empty();
    const auto of_first = cost_on(first_executions, i, summaries[comparison.first].costs[i], all);
    const auto of_second = cost_on(second_executions, i, summaries[comparison.second].costs[i], all);
    if (of_first && of_second) result.cost_differences[i] = *of_first - *of_second;
  }
  return result;
}

void adjust(std::vector<ComparisonResult>& comparisons, Failures failures) {
  const std::size_t at = index_of(failures);
  std::vector<std::optional<double>> p_values;
  for (const ComparisonResult& comparison : comparisons) {
    p_values.push_back(comparison.estimates[at] ? std::optional(comparison.estimates[at]->p) : std::nullopt);
  }
  const std::vector<std::optional<double>> adjusted = stats::holm_adjusted(p_values);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (comparisons[i].estimates[at]) comparisons[i].estimates[at]->p_holm = adjusted[i];
  }
}

}  // namespace

std::string_view name(CheckItem::State state) {
  switch (state) {
    case CheckItem::State::met:
      return "met";
    case CheckItem::State::not_met:
      return "not met";
    case CheckItem::State::cannot_tell:
      return "cannot be told";
  }
  return "";
}

bool Study::all_controlled() const {
  return !comparisons.empty() &&
         std::all_of(comparisons.begin(), comparisons.end(),
                     [](const ComparisonResult& result) { return result.control.controlled(); });
}

Study analyse(const Declaration& declaration, const Results& results, const stats::Resampling& resampling) {
  Study study;
  const std::vector<std::vector<InstanceScore>> scores = instance_scores(results, declaration.strategies.size());
  for (std::size_t i = 0; i < declaration.strategies.size(); ++i) {
    study.components.push_back(effective_components(declaration.strategies[i], i, results));
  }
  study.summaries = summarise(declaration.strategies, results, scores, resampling);
  for (const Comparison& comparison : declaration.comparisons) {
    ComparisonResult result = compare(comparison, results, scores, study.summaries, resampling);
    const auto& estimate = result.estimates[index_of(Failures::excluded)];
    result.control = rule_on(comparison, declaration, study.components, {estimate ? estimate->n : 0, result.same_rows});
    study.comparisons.push_back(std::move(result));
  }
  for (const Failures failures : kFailureTreatments) adjust(study.comparisons, failures);
  study.ranks = rank_stability(declaration, study.components, scores, results.instances().size());
  study.checklist = checklist(declaration, study);
  return study;
}

}  // namespace memuse::controlled
