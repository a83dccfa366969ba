#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Result files of tau-bench: an array of task runs, one run per file, or one per line (docs/tau-bench.md).
const Adapter& tau_bench_adapter();

}  // namespace memuse::ingest
