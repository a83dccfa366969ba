#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// The adapter for `memuse-trace/1` (docs/trace-format.md).
const Adapter& canonical_trace_adapter();

/// Reads all episodes of a canonical trace held in memory; for tests and small tools.
std::vector<Episode> read_canonical_trace(std::string bytes, const ReadOptions& options,
                                          std::vector<Diagnostic>* diagnostics = nullptr);

}  // namespace memuse::ingest
