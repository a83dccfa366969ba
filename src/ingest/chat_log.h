#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Logs with one record per request and response: OpenAI's and Anthropic's pairs, LiteLLM, OpenHands' LLM logs,
/// LangSmith, Langfuse (docs/chat-log.md). The calls of a file, or of a folder with one call per file, are put together
/// to conversations, so a file's distinct texts are held in memory.
const Adapter& chat_log_adapter();

}  // namespace memuse::ingest
