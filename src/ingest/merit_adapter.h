#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Reads run directories of MERIT (`results.jsonl` beside `traces/episodes.jsonl`) and either file alone;
/// docs/merit.md.
const Adapter& merit_adapter();

}  // namespace memuse::ingest
