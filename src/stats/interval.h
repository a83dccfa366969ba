#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace memuse::stats {

/// An interval, both ends included, in the unit of the quantity.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The two corrections of a BCa interval.
struct BcaTerms {
  double bias_correction = 0.0;  ///< z0: how far the resamples lie from the estimate, in normal quantiles
  double acceleration = 0.0;     ///< a: how fast the standard error changes with the quantity
};

/// Percentile interval (Efron, "Bootstrap methods: another look at the jackknife", 1979; Efron and Tibshirani, "An
/// introduction to the bootstrap", 1993, §13.3) from resampled values in ascending order.
///
/// Of m values the ends are the k-th smallest and the k-th largest, k = floor((m + 1) (1 - confidence) / 2): the same
/// from both sides, so changing the sign of all values changes only the sign of the interval. Nothing when k is 0,
/// which is when there are too few values to reach that far (39 are enough for 0.95).
[[nodiscard]] std::optional<Interval> percentile_interval(std::span<const double> sorted, double confidence);

/// The terms for `bca_interval`: z0 from the share of resampled values below `estimate`, those equal to it counted
/// half; a from the skewness of `left_out`, the estimates without each unit in turn (0 when those do not differ).
/// Nothing when all resampled values lie on one side of the estimate.
[[nodiscard]] std::optional<BcaTerms> bca_terms(std::span<const double> sorted, double estimate,
                                                std::span<const double> left_out);

/// Bias-corrected and accelerated interval (Efron, "Better bootstrap confidence intervals", 1987; Efron and Tibshirani
/// 1993, §14.3), items chosen as in `percentile_interval`. Nothing when a corrected end lies beyond the resampled
/// values.
[[nodiscard]] std::optional<Interval> bca_interval(std::span<const double> sorted, const BcaTerms& terms,
                                                   double confidence);

/// Two-sided p for the hypothesis that the quantity is `null_value`: twice the share of resampled values on the thinner
/// side of it, both counts with one added (Davison and Hinkley, "Bootstrap methods and their application", 1997, §4.2),
/// at most 1. Values equal to `null_value` count on both sides. In (0, 1]; nothing when there are no values.
[[nodiscard]] std::optional<double> two_sided_p(std::span<const double> values, double null_value);

/// `two_sided_p` from counts: of `values` values, `at_most` lie at or below the null value and `at_least` at or above.
[[nodiscard]] double two_sided_p(std::uint64_t at_most, std::uint64_t at_least, std::uint64_t values);

}  // namespace memuse::stats
