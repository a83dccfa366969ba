#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// `*.traj.json` of mini-swe-agent, v1 and v2: one JSON document per episode (docs/mini-swe-agent.md).
const Adapter& mini_swe_agent_adapter();

}  // namespace memuse::ingest
