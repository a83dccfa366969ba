#include "stats/interval.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>

namespace memuse::stats {
namespace {

/// How many of `values` values make up `tail`, in the manner of ranks: floor((values + 1) tail). The small addition
/// keeps a product that is a whole number from falling below it by rounding.
std::size_t tail_rank(std::size_t values, double tail) {
  return static_cast<std::size_t>(std::floor(static_cast<double>(values + 1) * tail + 1e-9));
}

/// The interval from the `low`-th smallest to the `high`-th largest value, ranks from 1.
std::optional<Interval> between_ranks(std::span<const double> sorted, std::size_t low, std::size_t high) {
  if (low == 0 || high == 0 || low > sorted.size() || high > sorted.size()) return std::nullopt;
  return Interval{sorted[low - 1], sorted[sorted.size() - high]};
}

/// Skewness of the jackknife values over six, the acceleration of Efron and Tibshirani 1993, equation 14.15.
double acceleration_of(std::span<const double> left_out) {
  double mean = 0.0;
  for (const double value : left_out) mean += value;
  mean /= static_cast<double>(left_out.size());
  double squares = 0.0;
  double cubes = 0.0;
  for (const double value : left_out) {
    const double distance = mean - value;
    squares += distance * distance;
    cubes += distance * distance * distance;
  }
  const double scale = 6.0 * std::pow(squares, 1.5);
  return scale > 0.0 ? cubes / scale : 0.0;
}

}  // namespace

std::optional<Interval> percentile_interval(std::span<const double> sorted, double confidence) {
  const std::size_t rank = tail_rank(sorted.size(), (1.0 - confidence) / 2.0);
  return between_ranks(sorted, rank, rank);
}

std::optional<BcaTerms> bca_terms(std::span<const double> sorted, double estimate, std::span<const double> left_out) {
  const auto [first_equal, first_above] = std::equal_range(sorted.begin(), sorted.end(), estimate);
  const auto below = static_cast<double>(first_equal - sorted.begin());
  const auto equal = static_cast<double>(first_above - first_equal);
  const double share = (below + equal / 2.0) / static_cast<double>(sorted.size());
  if (left_out.empty() || !(share > 0.0 && share < 1.0)) return std::nullopt;
  return BcaTerms{boost::math::quantile(boost::math::normal(), share), acceleration_of(left_out)};
}

std::optional<Interval> bca_interval(std::span<const double> sorted, const BcaTerms& terms, double confidence) {
  const boost::math::normal normal;
  const double z = boost::math::quantile(normal, (1.0 + confidence) / 2.0);
  const auto corrected = [&](double quantile) -> std::optional<double> {
    const double moved = terms.bias_correction + quantile;
    const double factor = 1.0 - terms.acceleration * moved;
    if (factor <= 0.0) return std::nullopt;
    return terms.bias_correction + moved / factor;
  };
  const std::optional<double> low = corrected(-z);
  const std::optional<double> high = corrected(z);
  if (!low || !high) return std::nullopt;
  return between_ranks(sorted, tail_rank(sorted.size(), boost::math::cdf(normal, *low)),
                       tail_rank(sorted.size(), boost::math::cdf(boost::math::complement(normal, *high))));
}

std::optional<double> two_sided_p(std::span<const double> values, double null_value) {
  if (values.empty()) return std::nullopt;
  const auto at_most = std::count_if(values.begin(), values.end(), [&](double value) { return value <= null_value; });
  const auto at_least = std::count_if(values.begin(), values.end(), [&](double value) { return value >= null_value; });
  return two_sided_p(static_cast<std::uint64_t>(at_most), static_cast<std::uint64_t>(at_least), values.size());
}

double two_sided_p(std::uint64_t at_most, std::uint64_t at_least, std::uint64_t values) {
  const auto thinner = static_cast<double>(std::min(at_most, at_least) + 1);
  return std::min(1.0, 2.0 * (thinner / static_cast<double>(values + 1)));
}

}  // namespace memuse::stats
