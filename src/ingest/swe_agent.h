#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// `*.traj` of SWE-agent, all generations: one JSON document per episode (docs/swe-agent.md).
const Adapter& swe_agent_adapter();

}  // namespace memuse::ingest
