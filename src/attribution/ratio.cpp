#include "attribution/ratio.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memuse::attribution {
namespace {

using rules::Measure;

Ratio entry_share(Measure measure) {
  const auto index = static_cast<std::size_t>(measure);
  return {[index](const EpisodeFacts& facts) { return facts.share_sums[index]; },
          [](const EpisodeFacts& facts) { return static_cast<double>(facts.profiled_spans); },
          [index](const EpisodeFacts& facts) { return static_cast<double>(facts.with_property[index]); }};
}

Ratio entries_per(Measure counted, Quantity denominator, double factor) {
  const Quantity entries = [counted](const EpisodeFacts& facts) { return static_cast<double>(facts.count(counted)); };
  return {entries, std::move(denominator), entries, factor};
}

/// Episodes by cluster; the clusters in the order of the study.
std::vector<std::pair<std::uint32_t, const EpisodeFacts*>> by_cluster(const Episodes& episodes) {
  std::vector<std::pair<std::uint32_t, const EpisodeFacts*>> sorted;
  sorted.reserve(episodes.size());
  for (const EpisodeFacts* facts : episodes) sorted.emplace_back(facts->cluster, facts);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return sorted;
}

std::uint64_t sum_events(const Episodes& episodes, const Ratio& ratio) {
  double events = 0.0;
  for (const EpisodeFacts* facts : episodes) events += ratio.events(*facts);
  return static_cast<std::uint64_t>(std::llround(events));
}

/// The ratio in columns `first` and `first` + 1.
stats::Statistic quotient_of_columns(std::size_t first, double factor) {
  return [first, factor](std::span<const double> sums) -> std::optional<double> {
    if (sums[first + 1] == 0.0) return std::nullopt;
    return factor * sums[first] / sums[first + 1];
  };
}

}  // namespace

Ratio measure_ratio(Measure measure, rules::TokenEstimator estimator) {
  switch (measure) {
    case Measure::beneficial_yield:
    case Measure::harmful_yield:
      return entries_per(
          measure == Measure::beneficial_yield ? Measure::benefit : Measure::harm,
          [](const EpisodeFacts& facts) { return static_cast<double>(facts.profiled_spans); }, 100.0);
    case Measure::token_efficiency:
      return entries_per(
          Measure::benefit,
          [estimator](const EpisodeFacts& facts) { return static_cast<double>(facts.tokens(estimator)); }, 1e6);
    case Measure::restatement_share:
      return share_ratio([](const EpisodeFacts& facts) { return static_cast<double>(facts.restatements); },
                         [](const EpisodeFacts& facts) { return static_cast<double>(facts.deliveries); });
    case Measure::resolved:
      return share_ratio([](const EpisodeFacts& facts) { return facts.resolved == true ? 1.0 : 0.0; },
                         [](const EpisodeFacts&) { return 1.0; });
    default:
      return entry_share(measure);
  }
}

Ratio share_ratio(Quantity part, Quantity whole) {
  return {part, std::move(whole), part};
}

stats::ClusterSums cluster_sums(const Episodes& episodes, std::span<const Ratio> ratios) {
  const std::size_t columns = 2 * ratios.size();
  std::vector<double> sums;
  std::optional<std::uint32_t> current;
  for (const auto& [cluster, facts] : by_cluster(episodes)) {
    if (cluster != current) sums.resize(sums.size() + columns, 0.0);
    current = cluster;
    double* line = sums.data() + (sums.size() - columns);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      line[2 * i] += ratios[i].numerator(*facts);
      line[2 * i + 1] += ratios[i].denominator(*facts);
    }
  }
  return {columns, std::move(sums)};
}

std::vector<RatioEstimate> estimate(const Episodes& episodes, std::span<const Ratio> ratios,
                                    const stats::Resampling& resampling) {
  std::vector<RatioEstimate> estimates(ratios.size());
  if (ratios.empty() || episodes.empty()) {
    for (RatioEstimate& estimated : estimates) estimated.few_events = true;
    return estimates;
  }
  const stats::ClusterSums all = cluster_sums(episodes, ratios);
  const std::vector<double> totals = all.totals();
  std::vector<Ratio> resampled;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    estimates[i].value = quotient_of_columns(2 * i, ratios[i].factor)(totals);
    estimates[i].events = sum_events(episodes, ratios[i]);
    estimates[i].few_events = estimates[i].events < kFewEvents;
    if (estimates[i].few_events || !estimates[i].value || resampling.resamples == 0) continue;
    resampled.push_back(ratios[i]);
    places.push_back(i);
  }
  if (resampled.empty()) return estimates;
  std::vector<stats::Statistic> statistics;
  for (std::size_t i = 0; i < resampled.size(); ++i) {
    statistics.push_back(quotient_of_columns(2 * i, resampled[i].factor));
  }
  const auto bootstrapped = stats::bootstrap_each(cluster_sums(episodes, resampled), statistics, resampling);
  for (std::size_t i = 0; i < resampled.size(); ++i) {
    if (bootstrapped[i]) estimates[places[i]].interval = bootstrapped[i]->interval;
  }
  return estimates;
}

std::size_t count_clusters(const Episodes& episodes) {
  std::vector<std::uint32_t> clusters;
  clusters.reserve(episodes.size());
  for (const EpisodeFacts* facts : episodes) clusters.push_back(facts->cluster);
  std::sort(clusters.begin(), clusters.end());
  return static_cast<std::size_t>(std::unique(clusters.begin(), clusters.end()) - clusters.begin());
}

}  // namespace memuse::attribution
