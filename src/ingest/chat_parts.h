#pragma once

#include "ingest/json.h"
#include "model/episode.h"

namespace memuse::ingest {

/// The action in a tool call of a chat completion, `{id, function: {name, arguments}}`. Its texts are those of the
/// tree, or in `arena`.
Action tool_call_action(const JsonValue& call, Arena& arena);

}  // namespace memuse::ingest
