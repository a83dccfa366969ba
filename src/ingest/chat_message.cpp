#include "ingest/chat_message.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "ingest/chat_parts.h"
#include "ingest/json_fields.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

std::optional<Role> chat_role(std::string_view name) {
  if (name == "system" || name == "developer") return Role::system;
  if (name == "user" || name == "human") return Role::user;
  if (name == "assistant" || name == "ai" || name == "model") return Role::assistant;
  if (name == "tool" || name == "function") return Role::tool;
  return std::nullopt;
}

void append_part(std::string& all, std::string_view text) {
  if (!all.empty() && !text.empty()) all += '\n';
  all += text;
}

/// Arguments in one form, so that spaces and the order of keys make no difference.
std::string normal_arguments(std::string_view arguments) {
  constexpr std::ptrdiff_t kMaxNesting = 1000;  // printing recurses
  if (std::count_if(arguments.begin(), arguments.end(), [](char c) { return c == '{' || c == '['; }) > kMaxNesting) {
    return std::string(arguments);
  }
  const auto value = nlohmann::json::parse(arguments, nullptr, false);
  return value.is_discarded() ? std::string(arguments)
                              : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Reads the messages of one list.
class ChatListReader {
 public:
  ChatListReader(SharedTexts& texts, ChatMessages& messages) : texts_(texts), messages_(messages) {}

  void take(const JsonValue& value) {
    if (value.kind == JsonKind::array) {
      for (const JsonValue& inner : JsonChildren(value)) take(inner);
    } else if (value.kind == JsonKind::object) {
      take_message(value);
    } else if (const auto text = value.as_string()) {
      add(Role::user, *text);
    }
  }

 private:
  struct Parts {
    std::string text;
    std::string reasoning;
    std::vector<Action> actions;
    bool results = false;  // were among the parts
  };

  ChatMessage& add(Role role, std::string_view text) {
    ChatMessage& message = messages_.list.emplace_back();
    message.role = role;
    message.text = texts_.keep(text);
    message.key = key_of_message(message);
    return message;
  }

  Action kept(std::string_view id, std::string_view action, const JsonValue* arguments) {
    return {texts_.keep(id), texts_.keep(action), texts_.keep(arguments_json(arguments, texts_.arena()))};
  }

  void take_message(const JsonValue& value) {
    const std::string_view type = string_in(&value, "type");
    if (type == "function_call" || type == "custom_tool_call") return take_call_item(value);
    if (type == "function_call_output" || type == "custom_tool_call_output") return take_output_item(value);
    if (type == "reasoning") return;  // is sent back encrypted
    const std::string_view role_name = string_in(&value, "role");
    const auto role = chat_role(role_name.empty() ? type : role_name);
    if (!role) {
      messages_.whole = false;
      return;
    }
    const JsonValue* content = value.field("content");
    const bool definition = *role == Role::tool && object_in(content, "function") != nullptr;
    if (definition) return;  // some exports put the schemas of tools among the messages
    Parts parts;
    const JsonValue* list = array_in(&value, "parts");  // of OpenTelemetry's conventions
    take_content(list == nullptr ? content : list, parts);
    take_tool_calls(value, parts);
    const bool says_nothing = content == nullptr && list == nullptr && parts.actions.empty();
    if (says_nothing) messages_.whole = false;
    if (parts.results && parts.text.empty()) return;
    ChatMessage& message = add(*role, parts.text);
    const std::string_view reasoning = string_in(&value, "reasoning_content");
    message.reasoning = texts_.keep(reasoning.empty() ? std::string_view(parts.reasoning) : reasoning);
    message.actions = std::move(parts.actions);
    if (*role == Role::tool) message.tool_call = texts_.keep(string_in(&value, "tool_call_id"));
    message.key = key_of_message(message);
  }

  void take_content(const JsonValue* content, Parts& parts) {
    if (content == nullptr || content->is_null()) return;
    if (const auto text = content->as_string()) {
      parts.text = *text;
    } else if (content->kind == JsonKind::array) {
      for (const JsonValue& part : JsonChildren(*content)) take_part(part, parts);
    } else {
      parts.text = to_json(*content);
    }
  }

  void take_part(const JsonValue& part, Parts& parts) {
    if (const auto text = part.as_string()) return append_part(parts.text, *text);
    const std::string_view type = string_in(&part, "type");
    if (type == "tool_use") {
      parts.actions.push_back(kept(string_in(&part, "id"), string_in(&part, "name"), part.field("input")));
    } else if (type == "tool_call") {
      parts.actions.push_back(kept(string_in(&part, "id"), string_in(&part, "name"), part.field("arguments")));
    } else if (type == "tool_result") {
      take_result(part.field("content"), string_in(&part, "tool_use_id"), parts);
    } else if (type == "tool_call_response") {
      const JsonValue* response = part.field("response");
      take_result(response == nullptr ? part.field("result") : response, string_in(&part, "id"), parts);
    } else if (type == "text" && part.field("text") == nullptr) {
      append_part(parts.text, string_in(&part, "content"));
    } else if (type == "reasoning" && part.field("content") != nullptr) {
      append_part(parts.reasoning, string_in(&part, "content"));
    } else if (type == "thinking") {
      append_part(parts.reasoning, string_in(&part, "thinking"));
    } else if (part.field("text") != nullptr) {
      append_part(parts.text, string_in(&part, "text"));
    } else if (type != "redacted_thinking" && type != "reasoning") {
      messages_.whole = false;
    }
  }

  /// What a tool gave back, inside the message of somebody else.
  void take_result(const JsonValue* content, std::string_view call, Parts& parts) {
    Parts inner;
    take_content(content, inner);
    ChatMessage& result = add(Role::tool, inner.text);
    result.tool_call = texts_.keep(call);
    result.key = key_of_message(result);
    parts.results = true;
  }

  void take_tool_calls(const JsonValue& value, Parts& parts) {
    const JsonValue* calls = array_in(&value, "tool_calls");
    if (calls == nullptr || calls->children == 0) {
      if (const JsonValue* more = array_in(object_in(&value, "additional_kwargs"), "tool_calls")) calls = more;
    }
    if (calls == nullptr) return;
    for (const JsonValue& call : JsonChildren(*calls)) {
      if (object_in(&call, "function") != nullptr) {
        const Action action = tool_call_action(call, texts_.arena());
        parts.actions.push_back({texts_.keep(action.id), texts_.keep(action.name), texts_.keep(action.arguments)});
      } else if (call.kind == JsonKind::object) {
        parts.actions.push_back(kept(string_in(&call, "id"), string_in(&call, "name"), call.field("args")));
      }
    }
  }

  /// Items of the Responses interface stand beside the message that they belong to.
  void take_call_item(const JsonValue& value) {
    const bool beside = !messages_.list.empty() && messages_.list.back().role == Role::assistant;
    ChatMessage& message = beside ? messages_.list.back() : add(Role::assistant, {});
    const JsonValue* arguments = value.field("arguments");
    message.actions.push_back(kept(string_in(&value, "call_id"), string_in(&value, "name"),
                                   arguments == nullptr ? value.field("input") : arguments));
    message.key = key_of_message(message);
  }

  void take_output_item(const JsonValue& value) {
    Parts parts;
    take_content(value.field("output"), parts);
    ChatMessage& result = add(Role::tool, parts.text);
    result.tool_call = texts_.keep(string_in(&value, "call_id"));
    result.key = key_of_message(result);
  }

  SharedTexts& texts_;
  ChatMessages& messages_;
};

}  // namespace

Hash128 key_of_message(const ChatMessage& message) {
  std::string_view text = message.text;
  while (const std::size_t space = white_space_length(text)) text.remove_prefix(space);
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::string all(name(message.role));
  for (const std::string_view part : {text, message.tool_call}) (all += '\0') += part;
  for (const Action& action : message.actions) {
    for (const std::string_view part : {action.id, action.name}) (all += '\0') += part;
    (all += '\0') += normal_arguments(action.arguments);
  }
  return hash128(all);
}

std::string_view SharedTexts::keep(std::string_view text) {
  if (text.empty()) return {};
  const auto [place, added] = texts_.try_emplace(hash128(text));
  if (added) place->second = arena_.keep(text);
  return place->second;
}

void read_chat_messages(const JsonValue& value, SharedTexts& texts, ChatMessages& messages) {
  ChatListReader(texts, messages).take(value);
}

void add_system_prompt(const JsonValue* value, SharedTexts& texts, ChatMessages& messages) {
  if (value == nullptr || value->is_null()) return;
  ChatMessages inner;
  read_chat_messages(*value, texts, inner);
  std::string text;
  for (const ChatMessage& message : inner.list) append_part(text, message.text);
  if (value->kind == JsonKind::array) {  // blocks, which have no role
    text.clear();
    for (const JsonValue& block : JsonChildren(*value)) append_part(text, string_in(&block, "text"));
  }
  if (text.empty()) return;
  ChatMessage system;
  system.role = Role::system;
  system.text = texts.keep(text);
  system.key = key_of_message(system);
  messages.list.insert(messages.list.begin(), std::move(system));
}

ChatMessage joined_answer(const std::vector<ChatMessage>& messages, SharedTexts& texts) {
  ChatMessage answer;
  answer.role = Role::assistant;
  std::string text;
  std::string reasoning;
  for (const ChatMessage& message : messages) {
    append_part(text, message.text);
    append_part(reasoning, message.reasoning);
    answer.actions.insert(answer.actions.end(), message.actions.begin(), message.actions.end());
  }
  answer.text = texts.keep(text);
  answer.reasoning = texts.keep(reasoning);
  answer.key = key_of_message(answer);
  return answer;
}

}  // namespace memuse::ingest
