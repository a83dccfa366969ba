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

/// What a tool gave back.
struct ToolAnswer {
  std::string_view action;  ///< id of the tool call; may be empty
  std::string_view text;
};

/// One recorded request with its answer. Texts are those of the `SharedTexts` it was read with.
struct ChatCall {
  std::string conversation;  ///< id that the writer gave: a trace, a session, a thread; empty for none
  double order = 0;          ///< when it began, in seconds, or its place in the record
  std::string_view time;     ///< as recorded, or in UTC when it was a number
  ChatMessages input;
  std::optional<ChatMessage> answer;  ///< nothing for a call that failed
  Usage usage;
  std::optional<double> cost_usd;
  std::string_view model;
  bool has_tools = false;  ///< tools were offered
  bool told = false;       ///< what an instrumentation told of it, and not the request itself
  std::string sha256;      ///< of its record
  std::string_view agent;  ///< that made it, where it is named
  /// A call that is no step of the agent, by what it was for; empty for one that may be.
  std::string_view side_purpose;
  /// What its tool calls gave back, where that was recorded apart from the next request.
  std::vector<ToolAnswer> tool_answers;
  RecordPlace place;
};

/// The calls in a record: one for a request with its response (OpenAI's, Anthropic's and the Responses interface, the
/// logs of LiteLLM and OpenHands), several for LangSmith's runs and Langfuse's exports. What holds none is reported.
std::vector<ChatCall> read_chat_calls(const JsonValue& record, RecordPlace place, SharedTexts& texts,
                                      DiagnosticLog& log);

/// Reads messages, system prompt, tools and model of a request.
void read_chat_request(ChatCall& call, const JsonValue& request, SharedTexts& texts);

/// The answer in a response: a chat completion, Anthropic's message, the items of the Responses interface, LangChain's
/// generations, a message or several, or a text. Nothing when there is none.
std::optional<ChatMessage> chat_answer(const JsonValue* response, SharedTexts& texts);

/// Seconds for ordering, of `YYYY-MM-DDThh:mm:ss` with any fraction. Zones are not looked at: one log has one.
std::optional<double> seconds_of_time(std::string_view text);

}  // namespace memuse::ingest
