#include "chat/chat_message.h"

#include <array>
#include <stdexcept>
#include <string_view>

#include "chat/json_text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kFinishNames{"stop", "tool_calls", "length", "refused", "other"};

std::string_view role_name(ChatRole role) {
  switch (role) {
    case ChatRole::system:
      return "system";
    case ChatRole::user:
      return "user";
    case ChatRole::assistant:
      return "assistant";
    case ChatRole::tool:
      return "tool";
  }
  return "";
}

std::string_view finish_name(FinishReason finish) {
  return kFinishNames.at(static_cast<std::size_t>(finish));
}

FinishReason parse_finish(const std::string& text) {
  for (std::size_t i = 0; i < kFinishNames.size(); ++i) {
    if (kFinishNames.at(i) == text) return static_cast<FinishReason>(i);
  }
  return FinishReason::other;
}

ordered_json tool_calls_json(const std::vector<ToolCall>& calls) {
  ordered_json all = ordered_json::array();
  for (const ToolCall& call : calls) {
    all.push_back(
        {{"id", valid_utf8(call.id)}, {"name", valid_utf8(call.name)}, {"arguments", valid_utf8(call.arguments)}});
  }
  return all;
}

ordered_json message_json(const ChatMessage& message) {
  ordered_json out{{"role", role_name(message.role)}, {"text", valid_utf8(message.text)}};
  if (!message.tool_calls.empty()) out["tool_calls"] = tool_calls_json(message.tool_calls);
  if (!message.tool_call_id.empty()) out["tool_call_id"] = valid_utf8(message.tool_call_id);
  if (!message.as_received.is_null()) out["as_received"] = message.as_received;
  return out;
}

template <typename Value>
void put(ordered_json& object, const char* key, const std::optional<Value>& value) {
  if (value) object[key] = *value;
}

template <typename Value>
void take(const json& object, const char* key, std::optional<Value>& value) {
  if (const auto found = object.find(key); found != object.end()) value = found->get<Value>();
}

ordered_json usage_json(const TokenUsage& usage) {
  ordered_json out = ordered_json::object();
  put(out, "input", usage.input);
  put(out, "cached_input", usage.cached_input);
  put(out, "cache_write", usage.cache_write);
  put(out, "output", usage.output);
  put(out, "cost_usd", usage.cost_usd);
  return out;
}

TokenUsage usage_from_json(const json& object) {
  TokenUsage usage;
  take(object, "input", usage.input);
  take(object, "cached_input", usage.cached_input);
  take(object, "cache_write", usage.cache_write);
  take(object, "output", usage.output);
  take(object, "cost_usd", usage.cost_usd);
  return usage;
}

}  // namespace

ordered_json to_json(const ChatRequest& request) {
  ordered_json out{{"messages", ordered_json::array()}, {"tools", ordered_json::array()}};
  for (const ChatMessage& message : request.messages) out["messages"].push_back(message_json(message));
  for (const ToolSpec& tool : request.tools) {
    out["tools"].push_back({{"name", valid_utf8(tool.name)},
                            {"description", valid_utf8(tool.description)},
                            {"parameters", tool.parameters}});
  }
  if (!request.forced_tool.empty()) out["forced_tool"] = valid_utf8(request.forced_tool);
  out["max_output_tokens"] = request.max_output_tokens;
  put(out, "temperature", request.temperature);
  put(out, "seed", request.seed);
  return out;
}

ordered_json to_json(const ChatReply& reply) {
  ordered_json out{{"text", valid_utf8(reply.message.text)}};
  if (!reply.message.tool_calls.empty()) out["tool_calls"] = tool_calls_json(reply.message.tool_calls);
  if (!reply.message.as_received.is_null()) out["as_received"] = reply.message.as_received;
  if (!reply.reasoning.empty()) out["reasoning"] = valid_utf8(reply.reasoning);
  out["finish"] = finish_name(reply.finish);
  out["usage"] = usage_json(reply.usage);
  out["model"] = valid_utf8(reply.model);
  return out;
}

ChatReply reply_from_json(const json& object) {
  ChatReply reply;
  reply.message.role = ChatRole::assistant;
  reply.message.text = object.at("text").get<std::string>();
  for (const json& call : object.value("tool_calls", json::array())) {
    reply.message.tool_calls.push_back({call.at("id").get<std::string>(), call.at("name").get<std::string>(),
                                        call.at("arguments").get<std::string>()});
  }
  reply.message.as_received = object.value("as_received", json());
  reply.reasoning = object.value("reasoning", std::string());
  reply.finish = parse_finish(object.at("finish").get<std::string>());
  reply.usage = usage_from_json(object.at("usage"));
  reply.model = object.at("model").get<std::string>();
  return reply;
}

}  // namespace memuse::chat
