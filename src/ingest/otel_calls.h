#pragma once

#include <vector>

#include "ingest/chat_call.h"
#include "ingest/diagnostic_log.h"
#include "ingest/otel_spans.h"

namespace memuse::ingest {

/// The calls that spans tell of, each once: of spans of model calls that lie in each other only the innermost is one.
/// Calls of a scorer are marked as being beside. The calls of agents other than the first of a conversation get an id
/// of their own. Repeated spans and loops of parents are reported. `spans` may be reordered.
std::vector<ChatCall> otel_calls(std::vector<OtelSpan>& spans, SharedTexts& texts, DiagnosticLog& log);

}  // namespace memuse::ingest
