#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace memuse::stats {

std::optional<double> quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  const double place = static_cast<double>(sorted.size() - 1) * std::clamp(share, 0.0, 1.0);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  // At a place between equal values the interpolation must not leave them by rounding.
  if (sorted[below] == sorted[above]) return sorted[below];
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace memuse::stats
