#pragma once

#include "model/episode.h"
#include "model/records.h"

namespace memuse {

/// Tokens and money of the main agent: the sums over its steps; where not every step states a quantity, what the trace
/// states for the whole episode counts.
[[nodiscard]] CallTotals agent_totals(const Episode& episode);

/// Tokens and money of all other model calls (the memory system's own).
[[nodiscard]] CallTotals side_totals(const Episode& episode);

}  // namespace memuse
