#pragma once

#include <optional>

#include "ingest/diagnostic_log.h"
#include "ingest/record_fields.h"
#include "model/episode.h"

namespace memuse::ingest {

/// Compares what a file states for a whole episode with the sums over the calls that it records, and reports each
/// quantity of which the two differ (`stated_count`, note) with both numbers. A quantity that some call does not state
/// has no sum to compare, but what is stated may not be less than the part that is known. The statement agrees when it
/// equals the sum over the steps, or over steps and side calls; money up to a millionth. The number of calls is left to
/// the adapters, which know what counts as one.
void reconcile_totals(const Episode& episode, const AgentTotals& stated, RecordPlace place, DiagnosticLog& log);

}  // namespace memuse::ingest
