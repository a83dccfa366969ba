#pragma once

#include <vector>

#include "figures/figure.h"
#include "merit/analysis.h"

namespace memuse::report {

/// The figures of task-level utility for which there is something to draw: `merit-difficulty` (a ladder of tiers for
/// each model and domain), `merit-ignored` (ignore rate, n above the bars), `merit-harm`, `merit-cost` (cost against
/// success with the Pareto front, for each cell), `merit-hard-tier` (dependent success on the hard tier by model).
[[nodiscard]] std::vector<figures::Figure> merit_figures(const merit::Analysis& analysis);

}  // namespace memuse::report
