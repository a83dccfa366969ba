#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Adapter for run roots of memory-bridge (schema v6): docs/memory-bridge.md.
const Adapter& bridge_adapter();

}  // namespace memuse::ingest
