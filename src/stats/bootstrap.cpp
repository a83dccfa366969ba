#include "stats/bootstrap.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "stats/random.h"

namespace memuse::stats {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// Adds up the sums of as many drawn clusters as there are. The number of columns is fixed at compile time for the
/// common cases, so that the running sums stay in registers.
template <std::size_t columns>
void sum_drawn(const ClusterSums& data, RandomStream& stream, std::span<double> sums) {
  const auto clusters = static_cast<std::uint32_t>(data.clusters());
  const double* lines = data.cluster(0).data();
  std::array<double, columns> running{};
  for (std::uint32_t drawn = 0; drawn < clusters; ++drawn) {
    const double* line = lines + stream.below(clusters) * columns;
    for (std::size_t column = 0; column < columns; ++column) running[column] += line[column];
  }
  std::copy(running.begin(), running.end(), sums.begin());
}

void sum_drawn_of_any_width(const ClusterSums& data, RandomStream& stream, std::span<double> sums) {
  const auto clusters = static_cast<std::uint32_t>(data.clusters());
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::uint32_t drawn = 0; drawn < clusters; ++drawn) {
    const std::span<const double> line = data.cluster(stream.below(clusters));
    for (std::size_t column = 0; column < sums.size(); ++column) sums[column] += line[column];
  }
}

void sum_resample(const ClusterSums& data, RandomStream stream, std::span<double> sums) {
  switch (data.columns()) {
    case 1:
      return sum_drawn<1>(data, stream, sums);
    case 2:
      return sum_drawn<2>(data, stream, sums);
    case 3:
      return sum_drawn<3>(data, stream, sums);
    case 4:
      return sum_drawn<4>(data, stream, sums);
    default:
      return sum_drawn_of_any_width(data, stream, sums);
  }
}

/// The statistic, or NaN where it does not exist.
double value_of(const Statistic& statistic, std::span<const double> sums) {
  const std::optional<double> value = statistic(sums);
  return value && std::isfinite(*value) ? *value : kUndefined;
}

/// The statistic's values over the resamples in which it exists, ascending.
std::vector<double> resampled_values(const ClusterSums& data, const Statistic& statistic,
                                     const Resampling& resampling) {
  std::vector<double> values(resampling.resamples);
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, resampling.resamples),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      std::vector<double> sums(data.columns());
                      for (std::uint64_t i = range.begin(); i != range.end(); ++i) {
                        sum_resample(data, RandomStream(resampling.seed, i), sums);
                        values[i] = value_of(statistic, sums);
                      }
                    });
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  return values;
}

/// The statistic without each cluster in turn; nothing when it does not exist without one of them.
std::optional<std::vector<double>> left_out_values(const ClusterSums& data, const Statistic& statistic) {
  const std::vector<double> totals = data.totals();
  std::vector<double> sums(totals.size());
  std::vector<double> values;
  values.reserve(data.clusters());
  for (std::size_t i = 0; i < data.clusters(); ++i) {
    const std::span<const double> line = data.cluster(i);
    for (std::size_t column = 0; column < sums.size(); ++column) sums[column] = totals[column] - line[column];
    values.push_back(value_of(statistic, sums));
    if (std::isnan(values.back())) return std::nullopt;
  }
  return values;
}

void add_bca_interval(const ClusterSums& data, const Statistic& statistic, std::span<const double> sorted,
                      double confidence, Estimate& estimate) {
  const auto left_out = left_out_values(data, statistic);
  if (!left_out) return;
  estimate.bca = bca_terms(sorted, estimate.value, *left_out);
  if (estimate.bca) estimate.interval = bca_interval(sorted, *estimate.bca, confidence);
}

std::optional<double> quotient(double numerator, double denominator) {
  if (denominator == 0.0) return std::nullopt;
  return numerator / denominator;
}

std::unordered_set<std::string_view> clusters_of(std::span<const Row> rows) {
  std::unordered_set<std::string_view> clusters;
  for (const Row& row : rows) clusters.insert(row.cluster);
  return clusters;
}

}  // namespace

std::optional<Estimate> bootstrap(const ClusterSums& data, const Statistic& statistic, const Resampling& resampling,
                                  std::optional<double> null_value) {
  assert(data.clusters() <= std::numeric_limits<std::uint32_t>::max());
  Estimate estimate;
  estimate.clusters = data.clusters();
  if (estimate.clusters == 0) return std::nullopt;
  estimate.value = value_of(statistic, data.totals());
  if (std::isnan(estimate.value)) return std::nullopt;
  if (estimate.clusters < 2) return estimate;

  const std::vector<double> sorted = resampled_values(data, statistic, resampling);
  estimate.undefined = resampling.resamples - sorted.size();
  const double tail = (1.0 - resampling.confidence) / 2.0;
  if (static_cast<double>(estimate.undefined) > tail * static_cast<double>(resampling.resamples)) return estimate;

  if (null_value) estimate.p = two_sided_p(sorted, *null_value);
  if (resampling.method == IntervalMethod::percentile)
    estimate.interval = percentile_interval(sorted, resampling.confidence);
  else
    add_bca_interval(data, statistic, sorted, resampling.confidence, estimate);
  return estimate;
}

std::optional<Estimate> ratio(std::span<const Row> rows, const Resampling& resampling) {
  RowsByCluster grouped(2);
  for (const Row& row : rows) grouped.add(row.cluster, std::array{row.numerator, row.denominator});
  return bootstrap(
      grouped.sums(), [](std::span<const double> sums) { return quotient(sums[0], sums[1]); }, resampling);
}

std::optional<Estimate> ratio_difference(std::span<const Row> first, std::span<const Row> second,
                                         const Resampling& resampling) {
  const auto in_first = clusters_of(first);
  const auto in_second = clusters_of(second);
  RowsByCluster grouped(4);
  for (const Row& row : first)
    if (in_second.contains(row.cluster)) grouped.add(row.cluster, std::array{row.numerator, row.denominator, 0.0, 0.0});
  for (const Row& row : second)
    if (in_first.contains(row.cluster)) grouped.add(row.cluster, std::array{0.0, 0.0, row.numerator, row.denominator});

  const Statistic difference = [](std::span<const double> sums) -> std::optional<double> {
    const std::optional<double> of_first = quotient(sums[0], sums[1]);
    const std::optional<double> of_second = quotient(sums[2], sums[3]);
    if (!of_first || !of_second) return std::nullopt;
    return *of_first - *of_second;
  };
  return bootstrap(grouped.sums(), difference, resampling, 0.0);
}

}  // namespace memuse::stats
