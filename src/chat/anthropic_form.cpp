// https://docs.anthropic.com/en/api/messages and /en/api/messages-streaming.

#include <map>

#include "chat/json_text.h"
#include "chat/protocol.h"
#include "chat/sse.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBlocks = 1'024;

json text_block(const std::string& text) {
  return {{"type", "text"}, {"text", text}};
}

/// Marks the end of what the endpoint should keep in its prompt cache.
void mark_for_cache(json& blocks) {
  if (!blocks.empty()) blocks.back()["cache_control"] = {{"type", "ephemeral"}};
}

json system_blocks(const ChatRequest& request) {
  json blocks = json::array();
  for (const ChatMessage& message : request.messages) {
    if (message.role == ChatRole::system && !is_blank(message.text)) blocks.push_back(text_block(message.text));
  }
  mark_for_cache(blocks);
  return blocks;
}

json assistant_blocks(const ChatMessage& message) {
  json blocks = json::array();
  if (!is_blank(message.text)) blocks.push_back(text_block(message.text));
  for (const ToolCall& call : message.tool_calls) {
    blocks.push_back(
        {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", arguments_object(call.arguments)}});
  }
  return blocks;
}

json user_block(const ChatMessage& message) {
  if (message.role != ChatRole::tool) return text_block(is_blank(message.text) ? "(no text)" : message.text);
  json block{{"type", "tool_result"}, {"tool_use_id", message.tool_call_id}};
  if (!message.text.empty()) block["content"] = message.text;
  return block;
}

/// Messages in turns: what follows another of the same role joins it, as the API wants all results of a reply's calls
/// in one message. A reply without text and calls is left out, as the API takes no empty one.
json turns(const ChatRequest& request) {
  json all = json::array();
  const auto add = [&all](const char* role, json blocks) {
    if (blocks.empty()) return;
    if (all.empty() || all.back()["role"] != role) all.push_back({{"role", role}, {"content", json::array()}});
    for (json& block : blocks) all.back()["content"].push_back(std::move(block));
  };
  for (const ChatMessage& message : request.messages) {
    if (message.role == ChatRole::system) continue;
    if (message.role == ChatRole::assistant) {
      add("assistant", message.as_received.is_array() ? message.as_received : assistant_blocks(message));
    } else {
      add("user", json::array({user_block(message)}));
    }
  }
  if (!all.empty() && all.back()["role"] == "user") mark_for_cache(all.back()["content"]);
  return all;
}

TokenUsage usage_of(const json& usage) {
  TokenUsage out;
  out.cached_input = count_at(usage, "cache_read_input_tokens");
  out.cache_write = count_at(usage, "cache_creation_input_tokens");
  if (const auto fresh = count_at(usage, "input_tokens")) {
    out.input = *fresh + out.cached_input.value_or(0) + out.cache_write.value_or(0);
  }
  out.output = count_at(usage, "output_tokens");
  return out;
}

FinishReason finish_of(const std::string& word, bool has_calls) {
  if (word == "max_tokens" || word == "model_context_window_exceeded") return FinishReason::length;
  if (word == "refusal") return FinishReason::refused;
  if (word == "tool_use" || has_calls) return FinishReason::tool_calls;
  if (word == "end_turn" || word == "stop_sequence") return FinishReason::stop;
  return FinishReason::other;
}

/// One content block; `partial_input` is what a stream has given of a call's arguments.
struct Block {
  json content;
  std::string partial_input;
};

bool is_signed(const json& block) {
  const std::string type = string_at(block, "type");
  return type == "thinking" || type == "redacted_thinking";
}

void add_block(const Block& block, ChatReply& reply, json& received, bool& must_return) {
  json content = block.content;
  const std::string type = string_at(content, "type");
  if (type == "text") reply.message.text += string_at(content, "text");
  if (type == "thinking") reply.reasoning += string_at(content, "thinking");
  if (type == "tool_use") {
    const json& input = member(content, "input");
    std::string arguments = block.partial_input;
    if (is_blank(arguments)) arguments = input.is_object() ? dump_line(input) : "{}";
    content["input"] = arguments_object(arguments);
    reply.message.tool_calls.push_back({string_at(content, "id"), string_at(content, "name"), std::move(arguments)});
  }
  must_return = must_return || is_signed(content);
  // The API takes no empty text back.
  if (type != "text" || !is_blank(string_at(content, "text"))) received.push_back(std::move(content));
}

ChatReply reply_of(const std::vector<Block>& blocks, const std::string& stop_reason) {
  ChatReply reply;
  reply.message.role = ChatRole::assistant;
  json received = json::array();
  bool must_return = false;
  for (const Block& block : blocks) add_block(block, reply, received, must_return);
  if (must_return) reply.message.as_received = std::move(received);
  reply.finish = finish_of(stop_reason, !reply.message.tool_calls.empty());
  return reply;
}

/// Puts the events of a stream together.
class EventReader {
 public:
  /// False when the stream is over or faulty.
  bool take(const ServerSentEvent& event) {
    const ParsedJson parsed = parse_json(event.data);
    if (!parsed.value) {
      fault_ = parsed.fault + " in the stream";
      return false;
    }
    const json& value = *parsed.value;
    error_ = reported_error(value);
    if (error_) {
      fault_ = "an error in the stream: " + *error_;
      return false;
    }
    const std::string type = string_at(value, "type");
    if (type == "message_start") start(member(value, "message"));
    if (type == "content_block_start") open_block(value);
    if (type == "content_block_delta") extend_block(value);
    if (type == "message_delta") end_message(value);
    done_ = type == "message_stop";
    return !done_ && fault_.empty();
  }

  ReadReply finish() {
    if (!fault_.empty()) return {std::nullopt, fault_, error_};
    if (!done_ || stop_reason_.empty()) return {std::nullopt, "a stream that ends before the reply does", std::nullopt};
    std::vector<Block> blocks;
    for (auto& [index, block] : blocks_) blocks.push_back(std::move(block));
    ChatReply reply = reply_of(blocks, stop_reason_);
    reply.usage = usage_of(usage_);
    reply.model = model_;
    return {std::move(reply), "", std::nullopt};
  }

 private:
  void start(const json& message) {
    model_ = string_at(message, "model");
    add_usage(member(message, "usage"));
  }

  /// Later counts are of the whole message so far.
  void add_usage(const json& usage) {
    for (const char* key :
         {"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"}) {
      if (const auto count = count_at(usage, key)) usage_[key] = *count;
    }
  }

  void open_block(const json& value) {
    const auto index = count_at(value, "index");
    if (!index || blocks_.size() >= kMaxBlocks) {
      fault_ = "a stream with a block out of place";
      return;
    }
    blocks_[*index].content = member(value, "content_block");
  }

  void extend_block(const json& value) {
    const auto index = count_at(value, "index");
    const auto found = index ? blocks_.find(*index) : blocks_.end();
    if (found == blocks_.end() || !found->second.content.is_object()) {
      fault_ = "a stream with a delta out of place";
      return;
    }
    const json& delta = member(value, "delta");
    json& content = found->second.content;
    found->second.partial_input += string_at(delta, "partial_json");
    for (const char* key : {"text", "thinking", "signature"}) {
      const json& more = member(delta, key);
      if (!more.is_string()) continue;
      json& text = content[key];
      if (!text.is_string()) text = "";
      text.get_ref<std::string&>() += more.get_ref<const std::string&>();
    }
  }

  void end_message(const json& value) {
    if (const std::string word = string_at(member(value, "delta"), "stop_reason"); !word.empty()) stop_reason_ = word;
    add_usage(member(value, "usage"));
  }

  std::map<std::uint64_t, Block> blocks_;
  json usage_ = json::object();
  std::string model_;
  std::string stop_reason_;
  bool done_ = false;
  std::string fault_;
  std::optional<std::string> error_;
};

class AnthropicForm : public WireForm {
 public:
  explicit AnthropicForm(const EndpointOptions& options) : model_(options.model), streaming_(options.streaming) {}

  [[nodiscard]] std::string path(std::string_view base_path) const override {
    const bool versioned = base_path.size() >= 3 && base_path.substr(base_path.size() - 3) == "/v1";
    return std::string(base_path) + (versioned ? "/messages" : "/v1/messages");
  }
  [[nodiscard]] std::vector<std::string> headers(const std::string& key) const override {
    std::vector<std::string> all{"anthropic-version: 2023-06-01"};
    if (!key.empty()) all.push_back("x-api-key: " + key);
    return all;
  }
  [[nodiscard]] std::string obstacle(const ChatRequest& request) const override {
    return request.seed ? "the Anthropic protocol has no seed; leave --model-seed out" : "";
  }
  [[nodiscard]] std::string body(const ChatRequest& request) const override;
  [[nodiscard]] ReadReply read_json(std::string_view body) const override;
  [[nodiscard]] ReadReply read_stream(std::string_view body, bool ended) const override;
  Lesson learn(const ChatRequest&, std::string_view, std::uint32_t) override { return {}; }

 private:
  std::string model_;
  bool streaming_;
};

std::string AnthropicForm::body(const ChatRequest& request) const {
  // In the order of the tools' schemas, which ask for reasons before labels.
  nlohmann::ordered_json body{{"model", model_},
                              {"max_tokens", request.max_output_tokens},
                              {"messages", turns(request)},
                              {"stream", streaming_}};
  if (json system = system_blocks(request); !system.empty()) body["system"] = std::move(system);
  for (const ToolSpec& tool : request.tools) {
    body["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.parameters}});
  }
  if (!request.forced_tool.empty()) body["tool_choice"] = {{"type", "tool"}, {"name", request.forced_tool}};
  if (request.temperature) body["temperature"] = *request.temperature;
  return dump_line(body);
}

ReadReply AnthropicForm::read_json(std::string_view body) const {
  const ParsedJson parsed = parse_json(body);
  if (!parsed.value) return {std::nullopt, parsed.fault + " where a message should be", std::nullopt};
  const json& message = *parsed.value;
  if (const auto error = reported_error(message)) return {std::nullopt, "an error with status 200: " + *error, error};
  const json& content = member(message, "content");
  if (!content.is_array() || content.size() > kMaxBlocks)
    return {std::nullopt, "a reply without content", std::nullopt};
  const std::string stop_reason = string_at(message, "stop_reason");
  if (stop_reason.empty()) return {std::nullopt, "a reply without a stop reason", std::nullopt};
  std::vector<Block> blocks;
  for (const json& block : content) blocks.push_back({block, ""});
  ChatReply reply = reply_of(blocks, stop_reason);
  reply.usage = usage_of(member(message, "usage"));
  reply.model = string_at(message, "model");
  return {std::move(reply), "", std::nullopt};
}

ReadReply AnthropicForm::read_stream(std::string_view body, bool) const {
  EventReader reader;
  read_events(body, [&](const ServerSentEvent& event) { return reader.take(event); });
  return reader.finish();
}

}  // namespace

std::unique_ptr<WireForm> anthropic_form(const EndpointOptions& options) {
  return std::make_unique<AnthropicForm>(options);
}

}  // namespace memuse::chat
