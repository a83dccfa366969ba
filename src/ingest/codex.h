#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Rollout files of the OpenAI Codex CLI and the streams of `codex exec --json` (docs/codex.md).
const Adapter& codex_adapter();

}  // namespace memuse::ingest
