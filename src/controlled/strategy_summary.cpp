#include "controlled/strategy_summary.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace memuse::controlled {
namespace {

void add_refusal(const Execution& execution, Refusals& refusals) {
  if (!execution.score) return;
  ++refusals.scored;
  if (!execution.refused) return;
  ++refusals.stated;
  const double lost = 1.0 - *execution.score;
  refusals.errors += lost;
  if (!*execution.refused) return;
  ++refusals.refused;
  refusals.refused_errors += lost;
}

void add_costs(const Execution& execution, std::array<Cost, kAmountCount>& costs) {
  for (std::size_t i = 0; i < kAmountCount; ++i) {
    if (std::isnan(execution.amounts[i])) continue;
    costs[i].sum += execution.amounts[i];
    ++costs[i].stated;
  }
}

void take_declared(const std::optional<double>& total, Cost& cost) {
  if (!total) return;
  cost.sum = *total;
  cost.stated = cost.executions;
  cost.declared = true;
}

std::optional<Accuracy> accuracy_of(const std::vector<InstanceScore>& scores, Failures failures,
                                    const stats::Resampling& resampling) {
  std::vector<double> values;
  for (const InstanceScore& instance : scores) {
    if (const auto score = instance.score(failures)) values.push_back(*score);
  }
  if (values.empty()) return std::nullopt;
  Accuracy accuracy;
  accuracy.n = values.size();
  const auto n = static_cast<double>(values.size());
  const stats::ClusterSums sums(1, std::move(values));
  accuracy.mean = sums.totals()[0] / n;
  if (resampling.resamples > 0) {
    const stats::Statistic mean = [n](std::span<const double> drawn) -> std::optional<double> { return drawn[0] / n; };
    if (const auto estimate = stats::bootstrap(sums, mean, resampling)) accuracy.interval = estimate->interval;
  }
  return accuracy;
}

using ReasonCounts = std::map<std::string, std::uint64_t>;

std::vector<std::pair<std::string, std::uint64_t>> most_frequent_first(const ReasonCounts& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return reasons;
}

}  // namespace

std::optional<double> Cost::total() const {
  if (!declared && (executions == 0 || stated < executions)) return std::nullopt;
  return sum;
}

std::optional<double> Cost::per_execution() const {
  const auto all = total();
  if (!all || executions == 0) return std::nullopt;
  return *all / static_cast<double>(executions);
}

std::optional<double> Refusals::share() const {
  if (stated == 0) return std::nullopt;
  return static_cast<double>(refused) / static_cast<double>(stated);
}

std::optional<double> Refusals::share_of_errors() const {
  if (stated == 0 || errors <= 0.0) return std::nullopt;
  return refused_errors / errors;
}

std::vector<StrategySummary> summarise(const std::vector<Strategy>& strategies, const Results& results,
                                       const std::vector<std::vector<InstanceScore>>& scores,
                                       const stats::Resampling& resampling) {
  std::vector<StrategySummary> summaries(strategies.size());
  std::vector<ReasonCounts> reasons(strategies.size());
  for (const Execution& execution : results.executions()) {
    StrategySummary& summary = summaries[execution.strategy];
    ++summary.executions;
    if (execution.failed) {
      ++summary.failed;
      ++reasons[execution.strategy][results.failure_reasons()[execution.reason]];
    } else if (!execution.score) {
      ++summary.unscored;
    }
    add_refusal(execution, summary.refusals);
    add_costs(execution, summary.costs);
  }
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    StrategySummary& summary = summaries[i];
    summary.rows = results.rows(i);
    summary.instances = scores[i].size();
    summary.contradicted = static_cast<std::uint64_t>(
        std::count_if(scores[i].begin(), scores[i].end(), [](const InstanceScore& s) { return s.contradicted; }));
    summary.failure_reasons = most_frequent_first(reasons[i]);
    for (const Failures failures : kFailureTreatments) {
      summary.accuracy[static_cast<std::size_t>(failures)] = accuracy_of(scores[i], failures, resampling);
    }
    for (Cost& cost : summary.costs) cost.executions = summary.executions;
    if (strategies[i].write_path) {
      const WritePathTotals& totals = *strategies[i].write_path;
      take_declared(totals.calls, summary.costs[static_cast<std::size_t>(Amount::write_calls)]);
      take_declared(totals.seconds, summary.costs[static_cast<std::size_t>(Amount::write_seconds)]);
      take_declared(totals.dollars, summary.costs[static_cast<std::size_t>(Amount::write_dollars)]);
    }
  }
  return summaries;
}

}  // namespace memuse::controlled
