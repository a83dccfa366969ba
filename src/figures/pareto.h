#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace memuse::figures {

/// Indices of the points that no other point beats, where a smaller x and a larger y are better (cost against success);
/// by ascending x. A point is beaten by one that is no worse in both and better in one; equal points are all kept.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& points);

}  // namespace memuse::figures
