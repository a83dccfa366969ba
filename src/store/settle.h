#pragma once

#include <vector>

#include "model/diagnostic.h"
#include "store/connection.h"

namespace memuse::store {

/// Computes what depends on several episodes or on outcomes files: each episode's outcome, `finalised`, and which
/// attempt at a task is retained (semantics.md §8). Only rows that change are written. Must run inside a write
/// transaction. Returns one `outcome_conflict` per outcomes row that disagrees with traces.
///
/// Outcome: the row of an outcomes file that names the most (configuration before run) wins over the trace, field by
/// field. Retained: the attempt per configuration, run and task with an `end` line or a known outcome whose last
/// recorded step time is the latest (ties: the larger episode id, then the larger uid); when none is finalised, the
/// latest of all.
std::vector<Diagnostic> settle(const Connection& connection);

/// Stores a diagnostic. One that is there already is renewed, or, if the same ingest found it, counted. `ingest_id` is
/// empty for one that no ingest found.
void store_diagnostic(Statement& statement, const Diagnostic& diagnostic, std::optional<std::int64_t> ingest_id);
/// The statement that `store_diagnostic` runs.
Statement diagnostic_statement(const Connection& connection);

}  // namespace memuse::store
