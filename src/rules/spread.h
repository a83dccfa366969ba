#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace memuse::rules {

/// How a quantity varies over the runs of a configuration (semantics.md §8).
struct Spread {
  std::size_t n = 0;  ///< runs that have the quantity
  double mean = 0.0;
  std::optional<double> deviation;  ///< sample standard deviation; needs two runs
  double min = 0.0;
  double max = 0.0;
};

/// Spread of `values`, taken in the order given; nothing when there are none.
[[nodiscard]] std::optional<Spread> spread_of(std::span<const double> values);

}  // namespace memuse::rules
