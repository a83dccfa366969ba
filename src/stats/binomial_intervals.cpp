#include "stats/binomial_intervals.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace memuse::stats {

std::optional<Interval> wilson_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0 || successes > trials) return std::nullopt;
  const double z = boost::math::quantile(boost::math::normal(), (1.0 + confidence) / 2.0);
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double centre = share + z * z / (2.0 * n);
  const double half = z * std::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
  const double scale = 1.0 + z * z / n;
  // At the borders the ends are 0 and 1 exactly; rounding must not move them.
  return Interval{successes == 0 ? 0.0 : std::max(0.0, (centre - half) / scale),
                  successes == trials ? 1.0 : std::min(1.0, (centre + half) / scale)};
}

std::optional<Interval> clopper_pearson_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0 || successes > trials) return std::nullopt;
  const double tail = (1.0 - confidence) / 2.0;
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  Interval interval{0.0, 1.0};
  if (successes > 0) interval.low = boost::math::quantile(boost::math::beta_distribution<>(hits, misses + 1.0), tail);
  if (successes < trials)
    interval.high =
        boost::math::quantile(boost::math::complement(boost::math::beta_distribution<>(hits + 1.0, misses), tail));
  return interval;
}

}  // namespace memuse::stats
