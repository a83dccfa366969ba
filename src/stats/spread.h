#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace memuse::stats {

/// How a quantity varies, for example over the runs of a configuration (semantics.md §8). Same unit as the values.
struct Spread {
  std::size_t n = 0;  ///< values that exist
  double mean = 0.0;
  std::optional<double> deviation;  ///< sample standard deviation (n - 1); needs two values
  double min = 0.0;
  double max = 0.0;
};

/// Spread of finite `values`, taken in the order given; nothing when there are none.
[[nodiscard]] std::optional<Spread> spread_of(std::span<const double> values);

}  // namespace memuse::stats
