#include "ingest/inspect_texts.h"

#include <fmt/format.h>

#include "ingest/json_fields.h"

namespace memuse::ingest {
namespace {

/// How long texts are named; logs before 2024-11 have the second form.
constexpr std::string_view kAttachment = "attachment://";
constexpr std::string_view kOldAttachment = "tc://";

std::string_view name_in(std::string_view text) {
  for (const std::string_view prefix : {kAttachment, kOldAttachment}) {
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  }
  return {};
}

Role role_of(std::string_view role) {
  if (role == "system" || role == "developer") return Role::system;
  if (role == "assistant") return Role::assistant;
  return role == "tool" ? Role::tool : Role::user;
}

void append_line(std::string& text, std::string_view part) {
  if (!text.empty() && !part.empty()) text += '\n';
  text += part;
}

}  // namespace

void InspectTexts::add_attachments(const JsonValue* attachments) {
  if (attachments == nullptr) return;
  for (const JsonValue& one : JsonChildren(*attachments)) {
    const std::string index = attachments->kind == JsonKind::array ? fmt::format("{}", by_name_.size()) : std::string();
    const auto text = one.as_string();
    if (!text) continue;
    by_name_.emplace(texts_.keep(index.empty() ? one.key : std::string_view(index)), texts_.keep(*text));
  }
}

const std::string_view* InspectTexts::attachment(std::string_view text) const {
  const auto found = by_name_.find(name_in(text));
  return found == by_name_.end() ? nullptr : &found->second;
}

std::string_view InspectTexts::text(std::string_view text) {
  if (name_in(text).empty()) return texts_.keep(text);
  if (const std::string_view* found = attachment(text)) return *found;
  ++missing_;
  return texts_.keep(text);
}

void InspectTexts::append_json(const JsonValue& value, std::string& out) {
  if (value.kind == JsonKind::string) {
    JsonValue named = value;
    if (const std::string_view* found = attachment(value.text)) named.text = *found;
    out += to_json(named);
    return;
  }
  if (value.kind != JsonKind::array && value.kind != JsonKind::object) {
    out += to_json(value);
    return;
  }
  const bool object = value.kind == JsonKind::object;
  out += object ? '{' : '[';
  bool first = true;
  for (const JsonValue& inner : JsonChildren(value)) {
    if (!first) out += ',';
    first = false;
    if (object) {
      JsonValue key;
      key.kind = JsonKind::string;
      key.text = inner.key;
      out += to_json(key) + ":";
    }
    append_json(inner, out);
  }
  out += object ? '}' : ']';
}

std::string InspectTexts::json(const JsonValue& value) {
  std::string out;
  append_json(value, out);
  return out;
}

void InspectTexts::take_content(const JsonValue* content, ChatMessage& message, ChatMessages& messages) {
  if (content == nullptr || content->is_null()) return;
  if (const auto whole = content->as_string()) {
    message.text = text(*whole);
    return;
  }
  std::string all;
  std::string reasoning;
  for (const JsonValue& part : JsonChildren(*content)) {
    const std::string_view type = string_in(&part, "type");
    if (type == "text") {
      append_line(all, text(string_in(&part, "text")));
    } else if (type == "reasoning") {
      append_line(reasoning, text(string_in(&part, "reasoning")));
    } else {
      messages.whole = false;  // an image, a sound, a tool of the provider
    }
  }
  message.text = texts_.keep(all);
  message.reasoning = texts_.keep(reasoning);
}

void InspectTexts::add_message(const JsonValue& message, ChatMessages& messages) {
  ChatMessage& one = messages.list.emplace_back();
  one.role = role_of(string_in(&message, "role"));
  const std::size_t missing = missing_;
  take_content(message.field("content"), one, messages);
  if (one.role == Role::tool) {
    one.tool_call = texts_.keep(string_in(&message, "tool_call_id"));
    if (one.text.empty()) one.text = text(string_in(object_in(&message, "error"), "message"));
  }
  if (const JsonValue* calls = array_in(&message, "tool_calls")) {
    for (const JsonValue& call : JsonChildren(*calls)) {
      const JsonValue* arguments = call.field("arguments");
      one.actions.push_back({texts_.keep(string_in(&call, "id")), texts_.keep(string_in(&call, "function")),
                             texts_.keep(arguments == nullptr ? std::string("null") : json(*arguments))});
    }
  }
  if (missing_ > missing) messages.whole = false;
  one.key = key_of_message(one);
}

std::string_view InspectTexts::result_text(const JsonValue* result, ChatMessages& messages) {
  if (result == nullptr || result->is_null()) return {};
  if (result->kind == JsonKind::number || result->kind == JsonKind::boolean) return texts_.keep(to_json(*result));
  ChatMessage message;
  if (result->kind == JsonKind::object) return texts_.keep(json(*result));
  take_content(result, message, messages);
  return message.text;
}

}  // namespace memuse::ingest
