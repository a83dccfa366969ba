#include "stats/spread.h"

#include <algorithm>
#include <cmath>

namespace memuse::stats {

std::optional<Spread> spread_of(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  Spread spread;
  spread.n = values.size();
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  spread.min = *min;
  spread.max = *max;
  double sum = 0.0;
  for (const double value : values) sum += value;
  // Rounding must not push the mean of equal values outside them.
  spread.mean = std::clamp(sum / static_cast<double>(spread.n), spread.min, spread.max);
  if (spread.n >= 2) {
    double squares = 0.0;
    for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
    spread.deviation = std::sqrt(squares / static_cast<double>(spread.n - 1));
  }
  return spread;
}

}  // namespace memuse::stats
