#include "ingest/bridge_chat.h"

#include <string>

#include "ingest/bridge_json_file.h"

namespace memuse::ingest::bridge {
namespace {

constexpr std::string_view kPartWithoutText = "[content without text]";

void put(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

/// A tool call in the form of the chat API, or flat.
Action read_tool_call(const JsonValue& call, Arena& arena) {
  const JsonValue* function = call.field("function");
  const JsonValue& source = function != nullptr && function->kind == JsonKind::object ? *function : call;
  Action action;
  action.id = text_at(call, {"id"});
  if (action.id.empty()) action.id = text_at(call, {"call_id"});
  action.name = text_at(source, {"name"});
  const JsonValue* arguments = source.field("arguments");
  if (arguments == nullptr) arguments = source.field("input");
  action.arguments = arguments_json(arguments, arena);
  return action;
}

bool is_tool_call_part(const JsonValue& part) {
  const std::string_view type = text_at(part, {"type"});
  return type == "tool_use" || type == "tool_call" || type == "toolCall" || type == "function_call";
}

std::string_view joined(const std::vector<std::string_view>& parts, Arena& arena) {
  if (parts.size() == 1) return parts.front();
  std::string all;
  for (const std::string_view part : parts) all += part;
  return arena.keep(all);
}

void read_content(const JsonValue& content, ChatMessage& message, Arena& arena) {
  if (const auto text = content.as_string()) {
    message.text = *text;
  } else if (content.kind == JsonKind::object) {
    message.text = text_at(content, {"text"});
  } else if (content.kind == JsonKind::array) {
    std::vector<std::string_view> parts;
    for (const JsonValue& part : JsonChildren(content)) {
      if (is_tool_call_part(part)) {
        message.actions.push_back(read_tool_call(part, arena));
        continue;
      }
      const JsonValue* inner = part.field("text");
      const auto value = part.as_string() ? part.as_string() : inner == nullptr ? std::nullopt : inner->as_string();
      parts.push_back(value.value_or(kPartWithoutText));
    }
    message.text = joined(parts, arena);
  }
}

std::optional<Role> role_of(std::string_view word) {
  if (word == "developer") return Role::system;
  if (word == "function" || word == "toolResult") return Role::tool;
  return parse_role(word);
}

}  // namespace

Hash128 ChatMessage::identity() const {
  std::string key(name(role));
  if (!call_id.empty()) {
    put(key, call_id);
    return hash128(key);
  }
  bool named = false;
  for (const Action& action : actions) {
    named = named || !action.id.empty();
    put(key, action.id);
  }
  if (!named) put(key, text);
  return hash128(key);
}

Hash128 ChatMessage::content() const {
  std::string key(name(role));
  put(key, call_id);
  for (const Action& action : actions) put(key, action.id);
  put(key, text);
  return hash128(key);
}

std::optional<ChatMessage> read_chat_message(const JsonValue& object, Arena& arena) {
  const auto role = role_of(text_at(object, {"role"}));
  if (!role) return std::nullopt;
  ChatMessage message;
  message.role = *role;
  if (const JsonValue* content = object.field("content")) read_content(*content, message, arena);
  message.call_id = text_at(object, {"tool_call_id"});
  for (const std::string_view field : {"reasoning_content", "reasoning", "thinking"}) {
    if (message.reasoning.empty()) message.reasoning = text_at(object, {field});
  }
  if (const JsonValue* calls = object.field("tool_calls"); calls != nullptr && calls->kind == JsonKind::array) {
    for (const JsonValue& call : JsonChildren(*calls)) message.actions.push_back(read_tool_call(call, arena));
  }
  return message;
}

std::optional<ChatMessage> read_event_message(const JsonValue& event, Arena& arena) {
  if (const JsonValue* message = event.field("message")) return read_chat_message(*message, arena);
  if (const JsonValue* message = at_path(event, {"data", "message"})) return read_chat_message(*message, arena);
  return read_chat_message(event, arena);
}

}  // namespace memuse::ingest::bridge
