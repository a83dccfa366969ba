#include "support/mock_reply_body.h"

#include <algorithm>

namespace memuse::test {
namespace {

using nlohmann::json;

constexpr std::size_t kDeltaBytes = 24;

std::string argument_text(const MockToolCall& call) {
  return call.arguments.is_string() ? call.arguments.get<std::string>() : call.arguments.dump();
}

std::string call_id(const MockToolCall& call, const MockCall& of, std::size_t position) {
  if (call.id != "default") return call.id;
  return "mock_" + std::to_string(of.number) + "_" + std::to_string(position);
}

/// Pieces of a text, cut between characters.
std::vector<std::string> deltas(const std::string& text) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = std::min(begin + kDeltaBytes, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    all.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return all;
}

std::string event(const json& data, const std::string& type = "") {
  return (type.empty() ? "" : "event: " + type + "\n") + "data: " + data.dump() + "\n\n";
}

// --- OpenAI ---

std::string openai_finish(const MockReply& reply) {
  if (!reply.finish.empty()) return reply.finish;
  return reply.tool_calls.empty() ? "stop" : "tool_calls";
}

json openai_usage(const MockUsage& usage) {
  return {{"prompt_tokens", usage.input},
          {"completion_tokens", usage.output},
          {"total_tokens", usage.input + usage.output},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached}}}};
}

json openai_call(const MockToolCall& call, const MockCall& of, std::size_t position, const std::string& arguments) {
  json out{{"type", "function"}, {"function", {{"name", call.name}, {"arguments", arguments}}}};
  if (const std::string id = call_id(call, of, position); !id.empty()) out["id"] = id;
  return out;
}

json openai_frame(const MockReply& reply, const MockCall& call, const char* object) {
  return {{"id", "chatcmpl-" + std::to_string(call.number)},
          {"object", object},
          {"created", 1'700'000'000},
          {"model", reply.model}};
}

std::string openai_json(const MockReply& reply, const MockCall& call) {
  json message{{"role", "assistant"}, {"content", nullptr}};
  if (!reply.text.empty() || reply.tool_calls.empty()) message["content"] = reply.text;
  if (!reply.reasoning.empty()) message["reasoning_content"] = reply.reasoning;
  for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
    message["tool_calls"].push_back(openai_call(reply.tool_calls[i], call, i, argument_text(reply.tool_calls[i])));
  }
  json out = openai_frame(reply, call, "chat.completion");
  out["choices"] = json::array({{{"index", 0}, {"message", message}, {"finish_reason", openai_finish(reply)}}});
  if (reply.usage) out["usage"] = openai_usage(*reply.usage);
  return out.dump();
}

std::vector<std::string> openai_stream(const MockReply& reply, const json& request, const MockCall& call) {
  std::vector<std::string> events{": a comment\n\n"};
  const auto chunk = [&](const json& delta, const json& finish = nullptr) {
    json out = openai_frame(reply, call, "chat.completion.chunk");
    out["choices"] = json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}});
    events.push_back(event(out));
  };
  chunk({{"role", "assistant"}, {"content", ""}});
  for (const std::string& piece : deltas(reply.reasoning)) chunk({{"reasoning_content", piece}});
  for (const std::string& piece : deltas(reply.text)) chunk({{"content", piece}});
  for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
    json first = openai_call(reply.tool_calls[i], call, i, "");
    first["index"] = i;
    chunk({{"tool_calls", json::array({first})}});
    for (const std::string& piece : deltas(argument_text(reply.tool_calls[i]))) {
      chunk({{"tool_calls", json::array({{{"index", i}, {"function", {{"arguments", piece}}}}})}});
    }
  }
  chunk(json::object(), openai_finish(reply));
  const json options = request.value("stream_options", json::object());
  if (reply.usage && options.value("include_usage", false)) {
    json out = openai_frame(reply, call, "chat.completion.chunk");
    out["choices"] = json::array();
    out["usage"] = openai_usage(*reply.usage);
    events.push_back(event(out));
  }
  events.emplace_back("data: [DONE]\n\n");
  return events;
}

// --- Anthropic ---

std::string anthropic_finish(const MockReply& reply) {
  if (!reply.finish.empty()) return reply.finish;
  return reply.tool_calls.empty() ? "end_turn" : "tool_use";
}

json anthropic_usage(const MockUsage& usage) {
  return {{"input_tokens", usage.input - std::min(usage.input, usage.cached + usage.cache_write)},
          {"cache_read_input_tokens", usage.cached},
          {"cache_creation_input_tokens", usage.cache_write},
          {"output_tokens", usage.output}};
}

json anthropic_blocks(const MockReply& reply, const MockCall& call) {
  json blocks = json::array();
  if (!reply.reasoning.empty()) {
    blocks.push_back({{"type", "thinking"}, {"thinking", reply.reasoning}, {"signature", "signed-by-mock"}});
  }
  if (!reply.text.empty()) blocks.push_back({{"type", "text"}, {"text", reply.text}});
  for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
    const MockToolCall& one = reply.tool_calls[i];
    blocks.push_back(
        {{"type", "tool_use"}, {"id", call_id(one, call, i)}, {"name", one.name}, {"input", one.arguments}});
  }
  return blocks;
}

json anthropic_frame(const MockReply& reply, const MockCall& call) {
  return {{"id", "msg_" + std::to_string(call.number)},
          {"type", "message"},
          {"role", "assistant"},
          {"model", reply.model},
          {"stop_sequence", nullptr}};
}

std::string anthropic_json(const MockReply& reply, const MockCall& call) {
  json out = anthropic_frame(reply, call);
  out["content"] = anthropic_blocks(reply, call);
  out["stop_reason"] = anthropic_finish(reply);
  if (reply.usage) out["usage"] = anthropic_usage(*reply.usage);
  return out.dump();
}

/// A block in its start, deltas and stop.
void add_block_events(const json& block, std::size_t index, std::vector<std::string>& events) {
  const std::string type = block.at("type");
  json start = block;
  std::vector<json> parts;
  const auto split = [&](const char* member, const std::string& delta_type, const char* delta_member) {
    const json& value = block.at(member);
    for (const std::string& piece : deltas(value.is_string() ? value.get<std::string>() : value.dump())) {
      parts.push_back({{"type", delta_type}, {delta_member, piece}});
    }
    start[member] = value.is_string() && type != "tool_use" ? json("") : json::object();
  };
  if (type == "text") split("text", "text_delta", "text");
  if (type == "tool_use") split("input", "input_json_delta", "partial_json");
  if (type == "thinking") {
    split("thinking", "thinking_delta", "thinking");
    split("signature", "signature_delta", "signature");
  }
  events.push_back(
      event({{"type", "content_block_start"}, {"index", index}, {"content_block", start}}, "content_block_start"));
  for (const json& part : parts) {
    events.push_back(
        event({{"type", "content_block_delta"}, {"index", index}, {"delta", part}}, "content_block_delta"));
  }
  events.push_back(event({{"type", "content_block_stop"}, {"index", index}}, "content_block_stop"));
}

std::vector<std::string> anthropic_stream(const MockReply& reply, const MockCall& call) {
  std::vector<std::string> events;
  json message = anthropic_frame(reply, call);
  message["content"] = json::array();
  message["stop_reason"] = nullptr;
  if (reply.usage) {
    message["usage"] = anthropic_usage(*reply.usage);
    message["usage"]["output_tokens"] = 1;
  }
  events.push_back(event({{"type", "message_start"}, {"message", message}}, "message_start"));
  events.push_back(event({{"type", "ping"}}, "ping"));
  const json blocks = anthropic_blocks(reply, call);
  for (std::size_t i = 0; i < blocks.size(); ++i) add_block_events(blocks[i], i, events);
  json end{{"type", "message_delta"},
           {"delta", {{"stop_reason", anthropic_finish(reply)}, {"stop_sequence", nullptr}}}};
  if (reply.usage) end["usage"] = {{"output_tokens", reply.usage->output}};
  events.push_back(event(end, "message_delta"));
  events.push_back(event({{"type", "message_stop"}}, "message_stop"));
  return events;
}

std::vector<std::string> parts_of(const std::string& whole, std::size_t bytes) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < whole.size(); at += bytes) parts.push_back(whole.substr(at, bytes));
  return parts;
}

void replace_all(std::string& text, const std::pair<std::string, std::string>& change) {
  for (std::size_t at = text.find(change.first); at != std::string::npos;
       at = text.find(change.first, at + change.second.size())) {
    text.replace(at, change.first.size(), change.second);
  }
}

std::vector<std::string> whole_body(const MockReply& reply, const MockCall& call) {
  const std::string body = reply.raw_body                  ? *reply.raw_body
                           : call.form == MockForm::openai ? openai_json(reply, call)
                                                           : anthropic_json(reply, call);
  constexpr std::size_t kSmall = 64;
  constexpr std::size_t kLarge = 65'536;
  return parts_of(body, reply.interval.count() > 0 ? kSmall : kLarge);
}

}  // namespace

MockBody mock_body(const MockReply& reply, const json& request, const MockCall& call) {
  MockBody body;
  body.streamed = call.streaming && !reply.raw_body && !reply.never_stream;
  body.content_type = body.streamed ? "text/event-stream" : "application/json";
  if (!reply.content_type.empty()) body.content_type = reply.content_type;
  if (!body.streamed) {
    body.pieces = whole_body(reply, call);
  } else if (call.form == MockForm::openai) {
    body.pieces = openai_stream(reply, request, call);
  } else {
    body.pieces = anthropic_stream(reply, call);
  }
  for (std::string& piece : body.pieces) {
    for (const auto& change : reply.replace) replace_all(piece, change);
  }
  return body;
}

}  // namespace memuse::test
