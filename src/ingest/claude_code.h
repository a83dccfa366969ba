#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Session files of Claude Code, JSON Lines (docs/claude-code.md). A file is held in memory as far as its conversation
/// goes, since a later record may belong to an earlier call.
const Adapter& claude_code_adapter();

}  // namespace memuse::ingest
