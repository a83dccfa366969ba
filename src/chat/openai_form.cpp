// https://platform.openai.com/docs/api-reference/chat, and what servers with the same form do differently.

#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include "chat/json_text.h"
#include "chat/protocol.h"
#include "chat/sse.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;

/// More calls in one reply are not read: no model asks for so many.
constexpr std::size_t kMaxToolCalls = 256;

/// What a reply is put together from, whole or in deltas.
struct Parts {
  std::string text;
  std::string reasoning;
  std::string refusal;
  std::vector<ToolCall> calls;
  std::map<std::size_t, json> call_extras;  ///< `extra_content` of calls (signatures), by position
  json reasoning_details;                   ///< list of signed or encrypted reasoning; null when there is none
  std::string finish_reason;
  TokenUsage usage;
  std::string model;
};

/// Text that is a string or a list of parts; parts of reasoning go to `reasoning`.
void add_content(const json& content, Parts& parts) {
  if (content.is_string()) {
    parts.text += content.get<std::string>();
    return;
  }
  if (!content.is_array()) return;
  for (const json& part : content) {
    if (string_at(part, "type") == "text") parts.text += string_at(part, "text");
    if (string_at(part, "type") != "thinking") continue;
    const json& thinking = member(part, "thinking");
    if (thinking.is_string()) parts.reasoning += thinking.get<std::string>();
    if (thinking.is_array()) {
      for (const json& piece : thinking) parts.reasoning += string_at(piece, "text");
    }
  }
}

void add_reasoning(const json& message, Parts& parts) {
  const std::string content = string_at(message, "reasoning_content");
  parts.reasoning += content.empty() ? string_at(message, "reasoning") : content;
  parts.refusal += string_at(message, "refusal");
  if (const json& details = member(message, "reasoning_details"); details.is_array() && !details.empty()) {
    if (parts.reasoning_details.is_null()) parts.reasoning_details = json::array();
    for (const json& detail : details) parts.reasoning_details.push_back(detail);
  }
}

std::string arguments_text(const json& arguments) {
  if (arguments.is_string()) return arguments.get<std::string>();
  return arguments.is_null() ? std::string() : dump_line(arguments);
}

void add_to_call(const json& delta, std::size_t position, Parts& parts) {
  ToolCall& call = parts.calls[position];
  const json& function = member(delta, "function");
  if (call.id.empty()) call.id = string_at(delta, "id");
  if (call.name.empty()) call.name = string_at(function, "name");
  call.arguments += arguments_text(member(function, "arguments"));
  if (const json& extra = member(delta, "extra_content"); !extra.is_null()) parts.call_extras[position] = extra;
}

/// Positions of the calls of a stream by their index. Some servers give every call the same index or none: then another
/// id is another call.
class CallPositions {
 public:
  /// Where the call that `delta` belongs to is in `parts`; nothing when there are too many.
  std::optional<std::size_t> position(const json& delta, Parts& parts) {
    const auto index = count_at(delta, "index");
    const std::string id = string_at(delta, "id");
    const auto known = index ? by_index_.find(*index) : by_index_.end();
    std::optional<std::size_t> found;
    if (known != by_index_.end()) found = known->second;
    if (!index && !parts.calls.empty()) found = parts.calls.size() - 1;
    const bool another = found && !id.empty() && !parts.calls[*found].id.empty() && parts.calls[*found].id != id;
    const bool whole_call = !index && id.empty() && !string_at(member(delta, "function"), "name").empty();
    if (found && !another && !whole_call) return found;
    if (parts.calls.size() >= kMaxToolCalls) return std::nullopt;
    parts.calls.emplace_back();
    if (index) by_index_[*index] = parts.calls.size() - 1;
    return parts.calls.size() - 1;
  }

 private:
  std::map<std::uint64_t, std::size_t> by_index_;
};

void add_usage(const json& usage, TokenUsage& out) {
  if (!usage.is_object()) return;
  out.input = count_at(usage, "prompt_tokens");
  out.output = count_at(usage, "completion_tokens");
  out.cached_input = count_at(member(usage, "prompt_tokens_details"), "cached_tokens");
  if (!out.cached_input) out.cached_input = count_at(usage, "prompt_cache_hit_tokens");
  out.cache_write = count_at(usage, "cache_creation_input_tokens");
  const json& cost = member(usage, "cost");
  if (cost.is_number() && std::isfinite(cost.get<double>()) && cost.get<double>() >= 0.0) {
    out.cost_usd = cost.get<double>();
  }
}

FinishReason finish_of(const Parts& parts) {
  const std::string& word = parts.finish_reason;
  if (word == "length" || word == "max_tokens") return FinishReason::length;
  if (word == "content_filter" || !parts.refusal.empty()) return FinishReason::refused;
  // Several servers say `stop` beside tool calls.
  if (!parts.calls.empty()) return FinishReason::tool_calls;
  if (word == "stop" || word.empty() || word == "eos") return FinishReason::stop;
  return FinishReason::other;
}

/// What has to go back with the message unchanged; null when there is nothing of the kind.
json kept_as_received(const Parts& parts) {
  if (parts.calls.empty()) return nullptr;
  json kept = json::object();
  if (!parts.reasoning_details.is_null()) kept["reasoning_details"] = parts.reasoning_details;
  for (const auto& [position, extra] : parts.call_extras) kept["extra_content"][std::to_string(position)] = extra;
  if (!parts.reasoning.empty()) kept["reasoning_content"] = parts.reasoning;
  return kept.empty() ? json(nullptr) : kept;
}

ChatReply reply_of(Parts parts) {
  ChatReply reply;
  reply.finish = finish_of(parts);
  reply.message.as_received = kept_as_received(parts);
  reply.message.role = ChatRole::assistant;
  reply.message.text = parts.text.empty() ? std::move(parts.refusal) : std::move(parts.text);
  reply.message.tool_calls = std::move(parts.calls);
  reply.reasoning = std::move(parts.reasoning);
  reply.usage = parts.usage;
  reply.model = std::move(parts.model);
  return reply;
}

/// In the order of the schema, which asks for reasons before labels.
nlohmann::ordered_json tool_json(const ToolSpec& tool) {
  return {{"type", "function"},
          {"function", {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}}}};
}

bool names(std::string_view words, std::string_view parameter) {
  return words.find(parameter) != std::string_view::npos;
}

class OpenAiForm : public WireForm {
 public:
  explicit OpenAiForm(const EndpointOptions& options) : model_(options.model), streaming_(options.streaming) {}

  [[nodiscard]] std::string path(std::string_view base_path) const override {
    return std::string(base_path) + "/chat/completions";
  }
  [[nodiscard]] std::vector<std::string> headers(const std::string& key) const override {
    if (key.empty()) return {};
    return {"Authorization: Bearer " + key};
  }
  [[nodiscard]] std::string obstacle(const ChatRequest&) const override { return ""; }
  [[nodiscard]] std::string body(const ChatRequest& request) const override;
  [[nodiscard]] ReadReply read_json(std::string_view body) const override;
  [[nodiscard]] ReadReply read_stream(std::string_view body, bool ended) const override;
  [[nodiscard]] std::uint32_t lessons() const override { return lessons_.load(); }
  Lesson learn(const ChatRequest& request, std::string_view error_body, std::uint32_t lessons) override;

 private:
  [[nodiscard]] json message_json(const ChatMessage& message) const;
  [[nodiscard]] json assistant_json(const ChatMessage& message) const;
  void add_tools(const ChatRequest& request, nlohmann::ordered_json& body) const;

  std::string model_;
  bool streaming_;
  std::atomic<bool> max_completion_tokens_{false};  ///< instead of `max_tokens`
  std::atomic<bool> without_stream_options_{false};
  std::atomic<bool> required_tool_{false};  ///< `required` and one tool, instead of naming the forced tool
  std::atomic<bool> returns_reasoning_{false};
  std::mutex learning_;
  std::atomic<std::uint32_t> lessons_{0};
};

json OpenAiForm::assistant_json(const ChatMessage& message) const {
  json out{{"role", "assistant"}, {"content", nullptr}};
  if (!message.text.empty() || message.tool_calls.empty()) out["content"] = message.text;
  const json& kept = message.as_received;
  for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
    const ToolCall& call = message.tool_calls[i];
    // As it was written when it is an object, so that the endpoint's cache knows it again.
    const ParsedJson parsed = parse_json(call.arguments);
    const bool readable = parsed.value && parsed.value->is_object();
    const std::string arguments = readable ? call.arguments : dump_line(arguments_object(call.arguments));
    json written{{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", arguments}}}};
    if (const json& extra = member(member(kept, "extra_content"), std::to_string(i)); !extra.is_null()) {
      written["extra_content"] = extra;
    }
    out["tool_calls"].push_back(std::move(written));
  }
  if (const json& details = member(kept, "reasoning_details"); !details.is_null()) out["reasoning_details"] = details;
  if (returns_reasoning_.load()) out["reasoning_content"] = string_at(kept, "reasoning_content");
  return out;
}

json OpenAiForm::message_json(const ChatMessage& message) const {
  switch (message.role) {
    case ChatRole::system:
      return {{"role", "system"}, {"content", message.text}};
    case ChatRole::user:
      return {{"role", "user"}, {"content", message.text}};
    case ChatRole::tool:
      return {{"role", "tool"}, {"tool_call_id", message.tool_call_id}, {"content", message.text}};
    case ChatRole::assistant:
      break;
  }
  return assistant_json(message);
}

void OpenAiForm::add_tools(const ChatRequest& request, nlohmann::ordered_json& body) const {
  if (request.tools.empty()) return;
  const bool only_forced = !request.forced_tool.empty() && required_tool_.load();
  for (const ToolSpec& tool : request.tools) {
    if (!only_forced || tool.name == request.forced_tool) body["tools"].push_back(tool_json(tool));
  }
  if (request.forced_tool.empty()) {
    body["tool_choice"] = "auto";
  } else if (only_forced) {
    body["tool_choice"] = "required";
  } else {
    body["tool_choice"] = {{"type", "function"}, {"function", {{"name", request.forced_tool}}}};
  }
}

std::string OpenAiForm::body(const ChatRequest& request) const {
  nlohmann::ordered_json body{{"model", model_}, {"messages", json::array()}, {"stream", streaming_}};
  for (const ChatMessage& message : request.messages) {
    body["messages"].push_back(nlohmann::ordered_json(message_json(message)));
  }
  add_tools(request, body);
  body[max_completion_tokens_.load() ? "max_completion_tokens" : "max_tokens"] = request.max_output_tokens;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (request.seed) body["seed"] = *request.seed;
  if (streaming_ && !without_stream_options_.load()) body["stream_options"] = {{"include_usage", true}};
  return dump_line(body);
}

ReadReply OpenAiForm::read_json(std::string_view body) const {
  const ParsedJson parsed = parse_json(body);
  if (!parsed.value) return {std::nullopt, parsed.fault + " where a chat completion should be", std::nullopt};
  if (const auto error = reported_error(*parsed.value))
    return {std::nullopt, "an error with status 200: " + *error, error};
  const json& choices = member(*parsed.value, "choices");
  if (!choices.is_array() || choices.empty()) return {std::nullopt, "a reply without choices", std::nullopt};
  const json& choice = choices.front();
  if (const auto error = reported_error(choice))
    return {std::nullopt, "an error in place of a reply: " + *error, error};
  const json& message = member(choice, "message");
  if (!message.is_object()) return {std::nullopt, "a reply without a message", std::nullopt};
  Parts parts;
  add_content(member(message, "content"), parts);
  add_reasoning(message, parts);
  if (const json& calls = member(message, "tool_calls"); calls.is_array()) {
    if (calls.size() > kMaxToolCalls) return {std::nullopt, "a reply with more than 256 tool calls", std::nullopt};
    for (const json& call : calls) {
      parts.calls.emplace_back();
      add_to_call(call, parts.calls.size() - 1, parts);
    }
  }
  parts.finish_reason = string_at(choice, "finish_reason");
  if (parts.finish_reason == "error") return {std::nullopt, "a reply that ended in an error", std::nullopt};
  add_usage(member(*parsed.value, "usage"), parts.usage);
  parts.model = string_at(*parsed.value, "model");
  return {reply_of(std::move(parts)), "", std::nullopt};
}

/// Puts the chunks of a stream together.
class ChunkReader {
 public:
  /// False when the stream is over or faulty.
  bool take(const ServerSentEvent& event) {
    if (trimmed(event.data) == "[DONE]") {
      done_ = true;
      return false;
    }
    const ParsedJson parsed = parse_json(event.data);
    if (!parsed.value) {
      fault_ = parsed.fault + " in the stream";
      return false;
    }
    return take_chunk(*parsed.value);
  }

  ReadReply finish(bool ended) {
    if (!fault_.empty()) return {std::nullopt, fault_, error_};
    // A server may leave `[DONE]` out; then the response itself has to be whole.
    if (parts_.finish_reason.empty() || (!done_ && !ended)) {
      return {std::nullopt, "a stream that ends before the reply does", std::nullopt};
    }
    return {reply_of(std::move(parts_)), "", std::nullopt};
  }

 private:
  bool take_chunk(const json& chunk) {
    error_ = reported_error(chunk);
    const json& choices = member(chunk, "choices");
    const json none;
    const json& choice = choices.is_array() && !choices.empty() ? choices.front() : none;
    if (!error_) error_ = reported_error(choice);
    if (error_) {
      fault_ = "an error in the stream: " + *error_;
      return false;
    }
    if (const std::string model = string_at(chunk, "model"); !model.empty()) parts_.model = model;
    add_usage(member(chunk, "usage"), parts_.usage);
    if (const std::string reason = string_at(choice, "finish_reason"); !reason.empty()) parts_.finish_reason = reason;
    if (parts_.finish_reason == "error") fault_ = "a reply that ended in an error";
    return fault_.empty() && take_delta(member(choice, "delta"));
  }

  bool take_delta(const json& delta) {
    add_content(member(delta, "content"), parts_);
    add_reasoning(delta, parts_);
    const json& calls = member(delta, "tool_calls");
    if (!calls.is_array()) return true;
    for (const json& call : calls) {
      const auto position = positions_.position(call, parts_);
      if (!position) {
        fault_ = "a reply with more than 256 tool calls";
        return false;
      }
      add_to_call(call, *position, parts_);
    }
    return true;
  }

  Parts parts_;
  CallPositions positions_;
  bool done_ = false;
  std::string fault_;
  std::optional<std::string> error_;
};

ReadReply OpenAiForm::read_stream(std::string_view body, bool ended) const {
  ChunkReader reader;
  read_events(body, [&](const ServerSentEvent& event) { return reader.take(event); });
  return reader.finish(ended);
}

Lesson OpenAiForm::learn(const ChatRequest& request, std::string_view error_body, std::uint32_t lessons) {
  const ParsedJson parsed = parse_json(error_body);
  const json error = parsed.value ? member(*parsed.value, "error") : json();
  const std::string words = error_words(error_body);
  const std::string parameter = string_at(error, "param");
  const bool unsupported = string_at(error, "code") == "unsupported_parameter";

  const std::lock_guard<std::mutex> lock(learning_);
  if (lessons != lessons_.load()) return {true, ""};  // another call has learnt in the meantime
  const auto once = [this](std::atomic<bool>& fact, const char* notice) -> Lesson {
    if (fact.exchange(true)) return {};
    ++lessons_;
    return {true, notice};
  };
  // "'max_tokens' or 'max_completion_tokens' is too large" is about the number.
  const bool wants_other_name = names(words, "max_completion_tokens") && !names(words, "too large");
  if (wants_other_name || (unsupported && parameter == "max_tokens")) {
    return once(max_completion_tokens_, "the endpoint wants max_completion_tokens instead of max_tokens");
  }
  if (streaming_ && (names(words, "stream_options") || parameter == "stream_options")) {
    return once(without_stream_options_, "the endpoint refuses stream_options: it may not count tokens");
  }
  if (!request.forced_tool.empty() && (names(words, "tool_choice") || names(parameter, "tool_choice"))) {
    return once(required_tool_, "the endpoint refuses to have a tool named: only that tool is offered instead");
  }
  if (names(words, "reasoning_content")) {
    return once(returns_reasoning_, "the endpoint wants the model's reasoning back");
  }
  return {};
}

}  // namespace

std::unique_ptr<WireForm> openai_form(const EndpointOptions& options) {
  return std::make_unique<OpenAiForm>(options);
}

}  // namespace memuse::chat
