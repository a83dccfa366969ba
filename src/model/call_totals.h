#pragma once

#include <vector>

#include "model/episode.h"
#include "model/records.h"

namespace memuse {

/// Tokens and money of the main agent: the sums over its steps; where not every step states a quantity, what the trace
/// states for the whole episode counts.
[[nodiscard]] CallTotals agent_totals(const Episode& episode);

/// Tokens and money of all other model calls (the memory system's own).
[[nodiscard]] CallTotals side_totals(const Episode& episode);

/// The main agent's calls with tokens and without a cost, by model (a step without a model of its own is the
/// episode's). Where the trace gives tokens for the whole episode instead, they stand for all its calls, if no call has
/// a cost.
[[nodiscard]] std::vector<UncostedCalls> agent_calls_without_cost(const Episode& episode);

/// The same of all other calls; one that names no model has none, for the episode's model is the agent's.
[[nodiscard]] std::vector<UncostedCalls> side_calls_without_cost(const Episode& episode);

}  // namespace memuse
