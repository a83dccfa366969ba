#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// OpenHands: `output.jsonl` of evaluations and of the resolver, exported event arrays, events of the SDK and its
/// conversation folders (docs/openhands.md).
const Adapter& openhands_adapter();

}  // namespace memuse::ingest
