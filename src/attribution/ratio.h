#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "attribution/facts.h"
#include "stats/bootstrap.h"
#include "stats/cluster_sums.h"
#include "stats/interval.h"

// Ratios of sums over episodes, and their intervals (semantics.md §8, last paragraph).

namespace memuse::attribution {

/// A share that rests on fewer events than this gets no interval but the mark `few events`.
inline constexpr std::uint64_t kFewEvents = 10;

/// A number of an episode that is summed.
using Quantity = std::function<double(const EpisodeFacts&)>;

/// `factor` × (sum of numerators) / (sum of denominators) over episodes.
struct Ratio {
  Quantity numerator;
  Quantity denominator;
  Quantity events;      ///< whole numbers: the entries, deliveries or episodes that the numerator stands for
  double factor = 1.0;  ///< 100 for entries per 100 spans, 1e6 for entries per million tokens
};

/// A measure of a profile. Its value over all episodes of a run or configuration is that of `rules::Profile` but for
/// rounding in the last bits; print that one.
[[nodiscard]] Ratio measure_ratio(rules::Measure measure, rules::TokenEstimator estimator);

/// The share of things counted by `part` among those counted by `whole`; `part` counts the events.
[[nodiscard]] Ratio share_ratio(Quantity part, Quantity whole);

/// A ratio with its interval.
struct RatioEstimate {
  std::optional<double> value;              ///< nothing when the denominator is 0
  std::optional<stats::Interval> interval;  ///< see `stats::bootstrap` for when there is none
  std::uint64_t events = 0;
  bool few_events = false;  ///< fewer than `kFewEvents`: no interval on principle
};

/// Sums per cluster (arc, else task, else episode), all runs together: for each ratio two columns, numerator and
/// denominator, in the order given. Clusters come in the order of the study.
[[nodiscard]] stats::ClusterSums cluster_sums(const Episodes& episodes, std::span<const Ratio> ratios);

/// Values and bootstrap intervals of several ratios over the same episodes: clusters are drawn whole, the same ones for
/// all ratios. With 0 resamples only values.
[[nodiscard]] std::vector<RatioEstimate> estimate(const Episodes& episodes, std::span<const Ratio> ratios,
                                                  const stats::Resampling& resampling);

/// Clusters that `episodes` make: what the caption of an interval names as n.
[[nodiscard]] std::size_t count_clusters(const Episodes& episodes);

}  // namespace memuse::attribution
