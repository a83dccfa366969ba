#include "controlled/outcomes.h"

#include <algorithm>

#include "stats/mcnemar.h"

namespace memuse::controlled {
namespace {

/// Means of the same scores in another order may differ by rounding: less than this is no difference.
constexpr double kScoreRounding = 1e-12;

/// Merges two lists that are sorted by instance: `visit(first, second)`, null where a side has none.
template <typename Visit>
void for_each_instance(const std::vector<InstanceScore>& first, const std::vector<InstanceScore>& second, Visit visit) {
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() || b != second.end()) {
    const bool has_a = a != first.end() && (b == second.end() || a->instance <= b->instance);
    const bool has_b = b != second.end() && (a == first.end() || b->instance <= a->instance);
    visit(has_a ? &*a : nullptr, has_b ? &*b : nullptr);
    if (has_a) ++a;
    if (has_b) ++b;
  }
}

std::optional<DropReason> drop_reason(const InstanceScore* side, Failures failures) {
  if (side == nullptr) return DropReason::missing;
  if (side->contradicted) return DropReason::contradicted;
  if (side->score(failures)) return std::nullopt;
  return side->failed > 0 ? DropReason::failed : DropReason::unscored;
}

/// The mean of one column, or the difference of two, over n drawn instances.
std::optional<stats::Interval> interval_of(const stats::ClusterSums& sums, const stats::Statistic& statistic,
                                           const stats::Resampling& resampling) {
  if (resampling.resamples == 0) return std::nullopt;
  const auto estimate = stats::bootstrap(sums, statistic, resampling);
  return estimate ? estimate->interval : std::nullopt;
}

}  // namespace

std::string_view name(Failures failures) {
  return failures == Failures::excluded ? "excluded" : "as_wrong";
}

std::string_view name(DropReason reason) {
  switch (reason) {
    case DropReason::missing:
      return "missing";
    case DropReason::contradicted:
      return "contradicted";
    case DropReason::failed:
      return "failed";
    case DropReason::unscored:
      return "unscored";
  }
  return "";
}

std::optional<double> InstanceScore::score(Failures failures) const {
  if (contradicted) return std::nullopt;
  const std::uint32_t left_out = unscored + (failures == Failures::excluded ? failed : 0);
  if (executions == left_out) return std::nullopt;
  return sum / static_cast<double>(executions - left_out);
}

std::vector<std::vector<InstanceScore>> instance_scores(const Results& results, std::size_t strategies) {
  std::vector<std::vector<InstanceScore>> scores(strategies);
  for (const Execution& execution : results.executions()) {
    std::vector<InstanceScore>& of_strategy = scores[execution.strategy];
    if (of_strategy.empty() || of_strategy.back().instance != execution.instance) {
      of_strategy.push_back({execution.instance});
    }
    InstanceScore& instance = of_strategy.back();
    ++instance.executions;
    if (execution.failed) {
      ++instance.failed;
    } else if (execution.score) {
      instance.sum += *execution.score;
    } else {
      ++instance.unscored;
    }
  }
  // Contradictions have no executions left: they come in as instances of their own.
  const auto by_instance = [](const InstanceScore& a, const InstanceScore& b) { return a.instance < b.instance; };
  for (const Contradiction& contradiction : results.contradictions()) {
    std::vector<InstanceScore>& of_strategy = scores[contradiction.strategy];
    InstanceScore instance{contradiction.instance};
    instance.contradicted = true;
    of_strategy.push_back(instance);
  }
  if (results.contradictions().empty()) return scores;
  for (std::vector<InstanceScore>& of_strategy : scores) {
    std::stable_sort(of_strategy.begin(), of_strategy.end(), by_instance);
    const auto same = [](const InstanceScore& a, const InstanceScore& b) { return a.instance == b.instance; };
    of_strategy.erase(std::unique(of_strategy.begin(), of_strategy.end(), same), of_strategy.end());
  }
  return scores;
}

Matched match(const std::vector<InstanceScore>& first, const std::vector<InstanceScore>& second, Failures failures) {
  Matched matched;
  for_each_instance(first, second, [&](const InstanceScore* a, const InstanceScore* b) {
    const std::uint32_t instance = a != nullptr ? a->instance : b->instance;
    const auto of_first = drop_reason(a, failures);
    const auto of_second = drop_reason(b, failures);
    if (of_first || of_second) {
      matched.dropped.push_back({instance, of_first, of_second});
    } else {
      matched.pairs.push_back({instance, *a->score(failures), *b->score(failures)});
    }
  });
  return matched;
}

std::optional<PairedEstimate> estimate(const std::vector<ScorePair>& pairs, const stats::Resampling& resampling,
                                       bool with_sides) {
  if (pairs.empty()) return std::nullopt;
  PairedEstimate result;
  result.n = pairs.size();
  std::vector<double> lines;
  lines.reserve(2 * pairs.size());
  const auto is_binary = [](double score) { return score == 0.0 || score == 1.0; };
  for (const ScorePair& pair : pairs) {
    lines.push_back(pair.first);
    lines.push_back(pair.second);
    const double lead = pair.first - pair.second;
    if (lead > kScoreRounding) ++result.only_first;
    if (lead < -kScoreRounding) ++result.only_second;
    result.binary = result.binary && is_binary(pair.first) && is_binary(pair.second);
  }
  const stats::ClusterSums sums(2, std::move(lines));
  const auto n = static_cast<double>(pairs.size());
  const std::vector<double> totals = sums.totals();
  result.first = totals[0] / n;
  result.second = totals[1] / n;
  result.difference = (totals[0] - totals[1]) / n;
  result.p = stats::mcnemar_exact(result.only_first, result.only_second);
  using Sums = std::span<const double>;
  result.difference_interval = interval_of(
      sums, [n](Sums drawn) -> std::optional<double> { return (drawn[0] - drawn[1]) / n; }, resampling);
  if (!with_sides) return result;
  result.first_interval = interval_of(
      sums, [n](Sums drawn) -> std::optional<double> { return drawn[0] / n; }, resampling);
  result.second_interval = interval_of(
      sums, [n](Sums drawn) -> std::optional<double> { return drawn[1] / n; }, resampling);
  return result;
}

}  // namespace memuse::controlled
