#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chat_message.h"
#include "ingest/diagnostic_log.h"
#include "ingest/record_fields.h"
#include "model/episode.h"

namespace memuse::ingest {

/// One recorded request with its answer. Texts are those of the `SharedTexts` it was read with.
struct ChatCall {
  std::string conversation;  ///< id that the writer gave: a trace, a session, a thread; empty for none
  double order = 0;          ///< when it began, in seconds, or its place in the record
  std::string_view time;     ///< as recorded, or in UTC when it was a number
  ChatMessages input;
  std::optional<ChatMessage> answer;  ///< nothing for a call that failed
  std::vector<ChatMessage> results;   ///< of its tools, for a call that no other one follows
  std::string_view purpose;           ///< of an aside; empty for `aside`
  Usage usage;
  std::optional<double> cost_usd;
  std::string_view model;
  bool has_tools = false;  ///< tools were offered
  bool told = false;       ///< what an instrumentation told of it, and not the request itself
  std::string sha256;      ///< of its record
  RecordPlace place;
};

/// The calls in a record: one for a request with its response (OpenAI's, Anthropic's and the Responses interface, the
/// logs of LiteLLM and OpenHands), several for LangSmith's runs and Langfuse's exports. What holds none is reported.
std::vector<ChatCall> read_chat_calls(const JsonValue& record, RecordPlace place, SharedTexts& texts,
                                      DiagnosticLog& log);

}  // namespace memuse::ingest
