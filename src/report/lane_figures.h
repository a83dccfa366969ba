#pragma once

#include <cstddef>
#include <vector>

#include "figures/figure.h"
#include "graph/item_lineage.h"
#include "model/records.h"

// Figures with lanes over steps or task positions: one episode, one item. What does not fit is cut, and the figure says
// so in small print.

namespace memuse::report {

/// Lanes of one figure; more would not fit a page.
inline constexpr std::size_t kMostLanes = 40;

/// `timeline-EPISODE`: spans below the steps of an episode: where they were visible, first read and delivered again,
/// credit windows, anchored actions with their effects, and the outcome. A lane per entry; per span when those are more
/// than `kMostLanes`; then those that were acted on first.
[[nodiscard]] figures::Figure timeline_figure(const EpisodeSpansRecord& record, const JudgementSetRecord& set);

/// `lineage-ITEM`: a lane per version of an item over the task positions of its run: made and from what, delivered
/// where, with what effect. One figure per configuration, run and store that has the item.
[[nodiscard]] std::vector<figures::Figure> lineage_figures(const std::vector<graph::ItemLineage>& lineages,
                                                           const JudgementSetRecord& set);

}  // namespace memuse::report
