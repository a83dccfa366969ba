#pragma once

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

namespace memuse::test {

/// A quantity that chance moves lies in these bounds in 99.9 of 100 cases, as far out on either side.
struct Bounds {
  double low = 0.0, high = 0.0;
  [[nodiscard]] bool hold(double value) const { return low <= value && value <= high; }
};

inline constexpr double kOutsideOneSide = 0.0005;

/// Share of events among `trials` independent ones.
inline Bounds share_bounds(std::uint64_t trials, double chance) {
  const boost::math::binomial_distribution<> counts(static_cast<double>(trials), chance);
  const auto n = static_cast<double>(trials);
  return {boost::math::quantile(counts, kOutsideOneSide) / n,
          boost::math::quantile(boost::math::complement(counts, kOutsideOneSide)) / n};
}

/// A mean of many, by its variance.
inline Bounds mean_bounds(double mean, double variance) {
  const double reach = boost::math::quantile(boost::math::complement(boost::math::normal(), kOutsideOneSide));
  return {mean - reach * std::sqrt(variance), mean + reach * std::sqrt(variance)};
}

/// Median of `draws` from the whole numbers first … last, each as likely.
inline Bounds median_bounds(std::uint64_t draws, std::uint32_t first, std::uint32_t last) {
  const auto n = static_cast<double>(draws);
  const auto numbers = static_cast<double>(last - first + 1);
  // The median is at most m when at least half of the draws are.
  const auto at_most = [&](std::uint32_t m) {
    const double share = std::min(1.0, static_cast<double>(m - first + 1) / numbers);
    return boost::math::cdf(
        boost::math::complement(boost::math::binomial_distribution<>(n, share), std::floor(n / 2.0) - 1.0));
  };
  Bounds bounds{static_cast<double>(last), static_cast<double>(last)};
  for (std::uint32_t m = last; m > first; --m) {
    if (at_most(m) > kOutsideOneSide) bounds.low = m;
    if (at_most(m) > 1.0 - kOutsideOneSide) bounds.high = m;
  }
  if (at_most(first) > kOutsideOneSide) bounds.low = first;
  return bounds;
}

}  // namespace memuse::test
