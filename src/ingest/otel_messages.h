#pragma once

#include "ingest/chat_call.h"
#include "ingest/otel_spans.h"

namespace memuse::ingest {

/// Reads request, answer, model, tokens and cost of a model call's span into `call`. The messages come from the first
/// family of attributes that has any; a request or an answer that was not captured stays empty.
void read_otel_call(const OtelSpan& span, SharedTexts& texts, ChatCall& call);

/// What a tool's span says that came back; nothing when that was not captured.
std::optional<std::string_view> otel_tool_answer(const OtelSpan& span);

}  // namespace memuse::ingest
