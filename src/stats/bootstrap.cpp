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

/// Adds `width` columns from `first` on over the drawn clusters, in registers.
template <std::size_t width>
void sum_columns(const ClusterSums& data, std::span<const std::uint32_t> drawn, std::size_t first,
                 std::span<double> sums) {
  const double* lines = data.cluster(0).data() + first;
  const std::size_t stride = data.columns();
  std::array<double, width> running{};
  for (const std::uint32_t cluster : drawn) {
    const double* line = lines + cluster * stride;
    for (std::size_t column = 0; column < width; ++column) running[column] += line[column];
  }
  std::copy(running.begin(), running.end(), sums.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Many columns: the clusters are drawn once, then a few columns at a time are added up.
void sum_drawn_of_any_width(const ClusterSums& data, RandomStream& stream, std::vector<std::uint32_t>& drawn,
                            std::span<double> sums) {
  constexpr std::size_t kChunk = 8;
  drawn.resize(data.clusters());
  for (std::uint32_t& cluster : drawn) cluster = stream.below(static_cast<std::uint32_t>(data.clusters()));
  std::size_t column = 0;
  for (; column + kChunk <= sums.size(); column += kChunk) sum_columns<kChunk>(data, drawn, column, sums);
  if (column + 4 <= sums.size()) {
    sum_columns<4>(data, drawn, column, sums);
    column += 4;
  }
  for (; column < sums.size(); ++column) sum_columns<1>(data, drawn, column, sums);
}

void sum_resample(const ClusterSums& data, RandomStream stream, std::vector<std::uint32_t>& scratch,
                  std::span<double> sums) {
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
      return sum_drawn_of_any_width(data, stream, scratch, sums);
  }
}

/// The statistic, or NaN where it does not exist.
double value_of(const Statistic& statistic, std::span<const double> sums) {
  const std::optional<double> value = statistic(sums);
  return value && std::isfinite(*value) ? *value : kUndefined;
}

/// For each statistic its values over the resamples in which it exists, ascending.
std::vector<std::vector<double>> resampled_values(const ClusterSums& data, std::span<const Statistic> statistics,
                                                  const Resampling& resampling) {
  std::vector<std::vector<double>> values(statistics.size(), std::vector<double>(resampling.resamples));
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, resampling.resamples),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      std::vector<double> sums(data.columns());
                      std::vector<std::uint32_t> scratch;
                      for (std::uint64_t i = range.begin(); i != range.end(); ++i) {
                        sum_resample(data, RandomStream(resampling.seed, i), scratch, sums);
                        for (std::size_t s = 0; s < statistics.size(); ++s)
                          values[s][i] = value_of(statistics[s], sums);
                      }
                    });
  tbb::parallel_for(std::size_t{0}, values.size(), [&values](std::size_t s) {
    std::erase_if(values[s], [](double value) { return std::isnan(value); });
    std::sort(values[s].begin(), values[s].end());
  });
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

/// Adds to an estimate what the resampled values say.
void add_resampled(const ClusterSums& data, const Statistic& statistic, std::span<const double> sorted,
                   const Resampling& resampling, std::optional<double> null_value, Estimate& estimate) {
  estimate.undefined = resampling.resamples - sorted.size();
  const double tail = (1.0 - resampling.confidence) / 2.0;
  if (static_cast<double>(estimate.undefined) > tail * static_cast<double>(resampling.resamples)) return;

  if (null_value) estimate.p = two_sided_p(sorted, *null_value);
  if (resampling.method == IntervalMethod::percentile)
    estimate.interval = percentile_interval(sorted, resampling.confidence);
  else
    add_bca_interval(data, statistic, sorted, resampling.confidence, estimate);
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

std::vector<std::optional<Estimate>> bootstrap_each(const ClusterSums& data, std::span<const Statistic> statistics,
                                                    const Resampling& resampling, std::optional<double> null_value) {
  assert(data.clusters() <= std::numeric_limits<std::uint32_t>::max());
  std::vector<std::optional<Estimate>> estimates(statistics.size());
  if (data.clusters() == 0) return estimates;
  const std::vector<double> totals = data.totals();
  std::vector<Statistic> existing;  // what does not exist for all rows is not resampled
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const double value = value_of(statistics[i], totals);
    if (std::isnan(value)) continue;
    estimates[i].emplace();
    estimates[i]->clusters = data.clusters();
    estimates[i]->value = value;
    existing.push_back(statistics[i]);
    places.push_back(i);
  }
  if (data.clusters() < 2 || existing.empty()) return estimates;

  const std::vector<std::vector<double>> sorted = resampled_values(data, existing, resampling);
  for (std::size_t i = 0; i < existing.size(); ++i) {
    add_resampled(data, existing[i], sorted[i], resampling, null_value, *estimates[places[i]]);
  }
  return estimates;
}

std::optional<Estimate> bootstrap(const ClusterSums& data, const Statistic& statistic, const Resampling& resampling,
                                  std::optional<double> null_value) {
  return bootstrap_each(data, std::span(&statistic, 1), resampling, null_value).front();
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
