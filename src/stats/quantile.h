#pragma once

#include <optional>
#include <span>

namespace memuse::stats {

/// The value below which `share` (0…1) of the values lie, between neighbours by linear interpolation: item
/// 1 + (n - 1) × share of the sorted values (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
/// 1996; the default of R and NumPy). 0.5 is the median, 0.25 and 0.75 are the quartiles. `sorted` ascends; nothing
/// when it is empty.
[[nodiscard]] std::optional<double> quantile(std::span<const double> sorted, double share);

}  // namespace memuse::stats
