#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "stats/cluster_sums.h"
#include "stats/interval.h"

// Bootstrap intervals for quantities that are functions of sums over rows (means, shares, ratios, kappa, alpha).
//
// Clusters are drawn whole, with replacement, as many as there are; all rows of a drawn cluster come with it, as often
// as it is drawn, so rows keep their weight (Field and Welsh, "Bootstrapping clustered data", 2007; Cameron, Gelbach
// and Miller, "Bootstrap-based improvements for inference with clustered errors", 2008). A cluster of one row is the
// plain bootstrap. When two sides are compared, the same drawn clusters serve both: that is the paired bootstrap.
//
// Cost: resamples × clusters × columns, spread over the threads of the caller's TBB arena. Memory: the clusters' sums
// and one number per resample. Resample i draws from stream (seed, i), so the result is the same for any number of
// threads.

namespace memuse::stats {

enum class IntervalMethod { percentile, bca };

/// How to resample. All of it belongs in the caption of a number that rests on it.
struct Resampling {
  std::uint64_t resamples = 10'000;
  std::uint64_t seed = 0;
  IntervalMethod method = IntervalMethod::percentile;
  double confidence = 0.95;  ///< in (0, 1)
};

/// A quantity with what the bootstrap says about it.
struct Estimate {
  double value = 0.0;                ///< from all rows
  std::optional<Interval> interval;  ///< see `bootstrap` for when there is none
  std::optional<double> p;           ///< two-sided, see `two_sided_p`; only when a null value was given
  std::size_t clusters = 0;          ///< clusters that were drawn from
  std::uint64_t undefined = 0;       ///< resamples in which the quantity does not exist; left out
  std::optional<BcaTerms> bca;       ///< only with `IntervalMethod::bca`
};

/// A quantity from the sums of the columns; nothing when it does not exist for them (a denominator of 0). Called from
/// several threads at once. A result that is not finite counts as nothing.
using Statistic = std::function<std::optional<double>(std::span<const double> sums)>;

/// Value, interval and, against `null_value`, p of a statistic.
///
/// Nothing when the statistic does not exist for all rows. No interval and no p when fewer than two clusters exist (one
/// cluster shows no variation), or when so many resamples are undefined that they could hold an end of the interval
/// (more than (1 - confidence) / 2 of them). No interval either where `percentile_interval` or `bca_interval` gives
/// none.
[[nodiscard]] std::optional<Estimate> bootstrap(const ClusterSums& data, const Statistic& statistic,
                                                const Resampling& resampling,
                                                std::optional<double> null_value = std::nullopt);

/// A row of a ratio of sums; with the denominator 1 the ratio is the mean of the numerators over rows.
struct Row {
  std::string_view cluster;  ///< the unit that is resampled whole: a task, an arc, an episode
  double numerator = 0.0;
  double denominator = 1.0;
};

/// Sum of numerators over sum of denominators: a mean, a share, a rate.
[[nodiscard]] std::optional<Estimate> ratio(std::span<const Row> rows, const Resampling& resampling);

/// Ratio of the first side minus ratio of the second, paired by cluster, with p against 0. Clusters that stand on one
/// side only are left out; `Estimate::clusters` counts those used. With one row of denominator 1 per cluster and side
/// it is the paired bootstrap for a difference of means. Swapping the sides changes signs and nothing else.
[[nodiscard]] std::optional<Estimate> ratio_difference(std::span<const Row> first, std::span<const Row> second,
                                                       const Resampling& resampling);

}  // namespace memuse::stats
