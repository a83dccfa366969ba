#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// ATIF trajectories (Harbor), 1.4 to 1.7: one JSON document per segment of an episode (docs/atif.md).
const Adapter& atif_adapter();

}  // namespace memuse::ingest
