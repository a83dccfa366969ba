#include "stats/mcnemar.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <limits>

namespace memuse::stats {

double mcnemar_exact(std::uint64_t only_first, std::uint64_t only_second) {
  const std::uint64_t discordant = only_first + only_second;
  if (discordant == 0) return 1.0;
  const boost::math::binomial fair(static_cast<double>(discordant), 0.5);
  const double tail = boost::math::cdf(fair, static_cast<double>(std::min(only_first, only_second)));
  return std::clamp(2.0 * tail, std::numeric_limits<double>::min(), 1.0);
}

}  // namespace memuse::stats
