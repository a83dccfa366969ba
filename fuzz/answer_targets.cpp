// What models and endpoints send: answers of a judge, replies of a chat model.

#include <memory>

#include "chat/protocol.h"
#include "fuzz/targets.h"
#include "judge/answer_format.h"

namespace memuse::fuzz {
namespace {

void run_answer(std::string_view bytes) {
  const judge::ParsedAnswer parsed = judge::parse_answer(bytes);
  if (parsed.answer.has_value() == !parsed.faults.empty()) throw BrokenProperty("an answer with faults, or neither");
  if (!parsed.answer) return;
  const std::string written = judge::answer_to_json(*parsed.answer).dump();
  const judge::ParsedAnswer again = judge::parse_answer(written);
  if (!again.answer || judge::answer_to_json(*again.answer).dump() != written) {
    throw BrokenProperty("an answer is written otherwise again: " + written);
  }
}

std::vector<std::string> answer_seeds() {
  return {
      R"({"entries": [{"entry": 2, "reason": "Step 4 writes the port.", "evidence": [{"step": 4,)"
      R"( "quote": "listen = 7443", "supports": "influence"}, {"file": "target", "quote": "on 7443", "supports":)"
      R"( "novelty"}], "relevance": true, "accuracy": "corroborated", "novelty": "novel", "influence": "acted_on",)"
      R"( "anchors": [6, 4], "effect": "improved"}, {"entry": 0, "reason": "Nothing.", "evidence": [],)"
      R"( "relevance": false, "accuracy": null, "novelty": null, "influence": null, "anchors": [], "effect": null}]})",
      R"({"entries": []})"};
}

/// A reply, whichever way it came, can be sent back as part of the conversation.
void hold_reply(chat::WireForm& form, const chat::ReadReply& read) {
  if (!read.reply) {
    if (read.fault.empty() && !read.reported_error) throw BrokenProperty("no reply and no fault");
    return;
  }
  chat::ChatRequest request;
  chat::ChatMessage message = read.reply->message;
  chat::name_calls(request, message);
  request.messages.push_back(std::move(message));
  (void)form.body(request);
}

void run_replies(std::unique_ptr<chat::WireForm> form, std::string_view bytes) {
  hold_reply(*form, form->read_json(bytes));
  hold_reply(*form, form->read_stream(bytes, true));
  hold_reply(*form, form->read_stream(bytes, false));
  (void)form->learn({}, bytes, form->lessons());
  (void)chat::error_words(bytes);
}

std::vector<std::string> openai_seeds() {
  return {R"({"id": "r", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role":)"
          R"( "assistant", "content": null, "reasoning": "hm", "tool_calls": [{"id": "c1", "type": "function",)"
          R"( "function": {"name": "read", "arguments": "{\"file\": \"task\"}"}}]}}], "usage": {"prompt_tokens": 5,)"
          R"( "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}})",
          R"({"error": {"message": "slow down", "type": "rate_limit", "param": "temperature"}})",
          "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so\",\"tool_calls\":[{\"index\":0,\"id\":\"a\","
          "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n"
          "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\n"
          "data: [DONE]\n\n"};
}

std::vector<std::string> anthropic_seeds() {
  return {R"({"type": "message", "model": "m", "stop_reason": "tool_use", "content": [{"type": "text", "text": "so"},)"
          R"( {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use", "id": "c1", "name":)"
          R"( "read", "input": {"file": "task"}}], "usage": {"input_tokens": 5, "output_tokens": 2}})",
          R"({"type": "error", "error": {"type": "overloaded_error", "message": "later"}})",
          "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{"
          "\"input_tokens\":5}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
          "\"content_block\":{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"read\",\"input\":{}}}\n\n"
          "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
          "\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n"
          "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
          "\"usage\":{\"output_tokens\":3}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"};
}

}  // namespace

std::vector<Target> answer_targets() {
  return {{"judge-answer", run_answer, answer_seeds},
          {"openai-reply", [](std::string_view bytes) { run_replies(chat::openai_form({}), bytes); }, openai_seeds},
          {"anthropic-reply",
           [](std::string_view bytes) {
             chat::EndpointOptions options;
             options.protocol = chat::Protocol::anthropic;
             run_replies(chat::anthropic_form(options), bytes);
           },
           anthropic_seeds}};
}

}  // namespace memuse::fuzz
