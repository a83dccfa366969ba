#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "figures/script.h"

namespace memuse::figures {

struct LabelSize {
  double width = 0.0;  ///< 0 for a point without a label
  double height = 0.0;
};

struct Spot {
  double x = 0.0;
  double y = 0.0;
};

/// Finds a place for the label of each point so that no label touches another label or a marker, or leaves `area`;
/// nullopt where there is none. Labels come as near to their points as they can, right of it first. Deterministic; time
/// grows with the number of labels times the number of points.
[[nodiscard]] std::vector<std::optional<Box>> place_labels(const std::vector<Spot>& points,
                                                           const std::vector<LabelSize>& sizes, double marker_radius,
                                                           const Box& area);

/// Do the boxes share more than an edge?
[[nodiscard]] bool overlap(const Box& a, const Box& b);

}  // namespace memuse::figures
