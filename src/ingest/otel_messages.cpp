#include "ingest/otel_messages.h"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "ingest/inner_json.h"
#include "ingest/json_fields.h"
#include "model/text.h"

// Each family says the same in another form. The forms that the readers of chat logs do not know are first written as
// chat completions' messages, and then read as those.

namespace memuse::ingest {
namespace {

using ShallowJson = nlohmann::json;  // of strings; what is nested stays in them

std::string printed(const ShallowJson& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A JSON text read as a tree, for as long as this lives.
class TextTree {
 public:
  explicit TextTree(std::string_view text) {
    text_.kind = JsonKind::string;
    text_.text = text;
    inner_.emplace(&text_, arena_);
  }
  /// The array or object, or null for a text that is none (one that was cut, say).
  [[nodiscard]] const JsonValue* value() const { return inner_->value() == &text_ ? nullptr : inner_->value(); }

 private:
  Arena arena_;
  JsonValue text_;
  std::optional<InnerJson> inner_;
};

/// Takes what stands before the first dot off `rest` when it is a number.
std::optional<std::uint64_t> take_index(std::string_view& rest) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const auto used = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || used >= rest.size() || rest[used] != '.') return std::nullopt;
  rest.remove_prefix(used + 1);
  return number;
}

bool take_prefix(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

/// A message of indexed keys.
struct IndexedMessage {
  std::string_view role;
  std::string_view content;
  std::string_view tool_call;
  bool structured = false;  // `content` is JSON
  std::map<std::uint64_t, std::map<std::string_view, std::string_view>> parts;
  std::map<std::uint64_t, std::map<std::string_view, std::string_view>> calls;

  void take(std::string_view rest, const OtelValue& value) {
    take_prefix(rest, "message.");
    if (rest == "role") role = value.text;
    if (rest == "tool_call_id") tool_call = value.text;
    if (rest == "content") {
      content = value.text;
      structured = value.structured;
    }
    if (take_prefix(rest, "contents.")) {
      const auto index = take_index(rest);
      take_prefix(rest, "message_content.");
      if (index) parts[*index].emplace(rest, value.text);
    } else if (take_prefix(rest, "tool_calls.")) {
      const auto index = take_index(rest);
      take_prefix(rest, "tool_call.");
      take_prefix(rest, "function.");
      if (index) calls[*index].emplace(rest, value.text);
    }
  }

  [[nodiscard]] ShallowJson content_json() const {
    if (parts.empty()) return std::string(content);
    ShallowJson list = ShallowJson::array();
    if (!content.empty()) list.push_back({{"type", "text"}, {"text", std::string(content)}});
    for (const auto& [index, part] : parts) {
      const auto text = part.find("text");
      const auto type = part.find("type");
      if (type != part.end() && type->second == "reasoning") {
        list.push_back({{"type", "thinking"}, {"thinking", std::string(text == part.end() ? "" : text->second)}});
      } else if (text != part.end()) {
        list.push_back({{"type", "text"}, {"text", std::string(text->second)}});
      } else {
        list.push_back({{"type", std::string(type == part.end() ? "unknown" : type->second)}});
      }
    }
    return list;
  }

  /// As text of JSON, `as` being its role when it has none.
  [[nodiscard]] std::string json(std::string_view as) const {
    ShallowJson message{{"role", std::string(role.empty() ? as : role)}, {"content", content_json()}};
    if (!tool_call.empty()) message["tool_call_id"] = std::string(tool_call);
    for (const auto& indexed : calls) {
      const auto& call = indexed.second;  // a lambda may not take a name of a structured binding (clang 14)
      const auto text = [&](std::string_view field) {
        const auto found = call.find(field);
        return std::string(found == call.end() ? std::string_view{} : found->second);
      };
      ShallowJson function{{"name", text("name")}};
      if (call.contains("arguments")) function["arguments"] = text("arguments");
      message["tool_calls"].push_back({{"id", text("id")}, {"function", std::move(function)}});
    }
    if (!parts_in_content()) return printed(message);
    message.erase("content");
    std::string all = printed(message);
    all.pop_back();
    return all + ",\"content\":" + std::string(content) + '}';
  }

  /// OpenLLMetry writes a message's parts as JSON.
  [[nodiscard]] bool parts_in_content() const {
    if (!parts.empty() || !content.starts_with('[')) return false;
    const TextTree tree(content);
    const JsonValue* list = tree.value();
    return list != nullptr && list->first_child != nullptr && !string_in(list->first_child, "type").empty();
  }
};

void read_messages_text(std::string_view text, SharedTexts& texts, ChatMessages& messages) {
  const TextTree tree(text);
  if (tree.value() == nullptr) {
    messages.whole = false;
  } else {
    read_chat_messages(*tree.value(), texts, messages);
  }
}

bool read_indexed(const OtelAttributes& attributes, std::string_view prefix, std::string_view as, SharedTexts& texts,
                  ChatMessages& messages) {
  std::map<std::uint64_t, IndexedMessage> list;
  const auto& all = attributes.all();
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    std::string_view rest = at->first.substr(prefix.size());
    if (const auto index = take_index(rest)) list[*index].take(rest, at->second);
  }
  for (const auto& [index, message] : list) read_messages_text(message.json(as), texts, messages);
  return !list.empty();
}

/// A part or a tool call of the AI SDK as one of the conventions'.
ShallowJson ai_sdk_part(const JsonValue& part) {
  const auto text_of = [](const JsonValue* value) {
    if (value == nullptr) return std::string();
    const auto text = value->as_string();
    return text ? std::string(*text) : to_json(*value);
  };
  const auto either = [&](std::string_view one, std::string_view other) {
    return part.field(one) == nullptr ? part.field(other) : part.field(one);
  };
  const std::string_view type = string_in(&part, "type");
  const std::string id(string_in(&part, "toolCallId"));
  if (type == "tool-result") {
    const JsonValue* output = either("output", "result");
    if (const JsonValue* value = output == nullptr ? nullptr : output->field("value")) output = value;
    return {{"type", "tool_call_response"}, {"id", id}, {"response", text_of(output)}};
  }
  if (type == "tool-call" || (type.empty() && !id.empty())) {
    return {{"type", "tool_call"},
            {"id", id},
            {"name", std::string(string_in(&part, "toolName"))},
            {"arguments", text_of(either("input", "args"))}};
  }
  if (type == "reasoning") return {{"type", "thinking"}, {"thinking", std::string(string_in(&part, "text"))}};
  if (type == "text") return {{"type", "text"}, {"text", std::string(string_in(&part, "text"))}};
  return {{"type", std::string(type.empty() ? "unknown" : type)}};
}

bool is_ai_sdk_part(const JsonValue& part) {
  const std::string_view type = string_in(&part, "type");
  return type == "tool-call" || type == "tool-result" || part.field("toolCallId") != nullptr;
}

/// Reads messages whose parts may be the AI SDK's.
void read_ai_sdk_messages(const JsonValue& list, SharedTexts& texts, ChatMessages& messages) {
  for (const JsonValue& message : JsonChildren(list)) {
    const JsonValue* content = array_in(&message, "content");
    bool theirs = false;
    if (content != nullptr) {
      for (const JsonValue& part : JsonChildren(*content)) theirs = theirs || is_ai_sdk_part(part);
    }
    if (!theirs) {
      read_chat_messages(message, texts, messages);
      continue;
    }
    ShallowJson parts = ShallowJson::array();
    for (const JsonValue& part : JsonChildren(*content)) parts.push_back(ai_sdk_part(part));
    const ShallowJson written{{"role", std::string(string_in(&message, "role"))}, {"parts", std::move(parts)}};
    read_messages_text(printed(written), texts, messages);
  }
}

/// A part of Google's interface as one of the conventions'.
ShallowJson google_part(const JsonValue& part) {
  const auto either = [&](std::string_view one, std::string_view other) {
    const JsonValue* value = object_in(&part, one);
    return value == nullptr ? object_in(&part, other) : value;
  };
  const auto json_of = [](const JsonValue* value) { return value == nullptr ? std::string() : to_json(*value); };
  if (const JsonValue* call = either("function_call", "functionCall")) {
    return {{"type", "tool_call"},
            {"id", std::string(string_in(call, "id"))},
            {"name", std::string(string_in(call, "name"))},
            {"arguments", json_of(call->field("args"))}};
  }
  if (const JsonValue* answer = either("function_response", "functionResponse")) {
    return {{"type", "tool_call_response"},
            {"id", std::string(string_in(answer, "id"))},
            {"response", json_of(answer->field("response"))}};
  }
  if (part.field("text") == nullptr) return {{"type", "unknown"}};
  const JsonValue* thought = part.field("thought");
  const bool thinks = thought != nullptr && thought->kind == JsonKind::boolean && thought->boolean;
  return {{"type", thinks ? "reasoning" : "text"}, {"content", std::string(string_in(&part, "text"))}};
}

void read_google_message(const JsonValue& message, SharedTexts& texts, ChatMessages& messages) {
  ShallowJson parts = ShallowJson::array();
  if (const JsonValue* list = array_in(&message, "parts")) {
    for (const JsonValue& part : JsonChildren(*list)) parts.push_back(google_part(part));
  }
  const std::string role(string_in(&message, "role"));
  const ShallowJson written{{"role", role.empty() ? "user" : role}, {"parts", std::move(parts)}};
  read_messages_text(printed(written), texts, messages);
}

/// `contents` with the system instruction in `config`, as Google's interface has them.
void read_google_request(const JsonValue& request, SharedTexts& texts, ChatCall& call) {
  const JsonValue* config = object_in(&request, "config");
  const JsonValue& settings = config == nullptr ? request : *config;
  const JsonValue* system = settings.field("system_instruction");
  if (system == nullptr) system = settings.field("systemInstruction");
  if (const JsonValue* parts = array_in(system, "parts")) system = parts;
  add_system_prompt(system, texts, call.input);
  for (const JsonValue& message : JsonChildren(*array_in(&request, "contents"))) {
    read_google_message(message, texts, call.input);
  }
  const JsonValue* tools = array_in(&settings, "tools");
  call.has_tools = call.has_tools || (tools != nullptr && tools->children > 0);
}

/// Any form in which a request is written as one value; false when it holds none that is known.
void read_request_value(const OtelValue& value, SharedTexts& texts, ChatCall& call) {
  const TextTree tree(value.text);
  const JsonValue* root = tree.value();
  if (root == nullptr) {  // a text of its own, or JSON that was cut
    call.input.whole = false;
    read_chat_messages(JsonValue{JsonKind::string, false, {}, value.text}, texts, call.input);
  } else if (root->kind == JsonKind::array) {
    read_ai_sdk_messages(*root, texts, call.input);
  } else if (root->field("role") != nullptr) {
    read_chat_messages(*root, texts, call.input);
  } else if (array_in(root, "contents") != nullptr) {
    read_google_request(*root, texts, call);
  } else {
    read_chat_request(call, *root, texts);
  }
}

ChatMessage ai_sdk_tool_calls(const JsonValue& list, std::string_view text, SharedTexts& texts) {
  ShallowJson parts = ShallowJson::array();
  if (!text.empty()) parts.push_back({{"type", "text"}, {"content", std::string(text)}});
  for (const JsonValue& call : JsonChildren(list)) parts.push_back(ai_sdk_part(call));
  ChatMessages said;
  read_messages_text(printed({{"role", "assistant"}, {"parts", std::move(parts)}}), texts, said);
  return joined_answer(said.list, texts);
}

std::optional<ChatMessage> joined_or_none(const ChatMessages& said, SharedTexts& texts) {
  return said.list.empty() ? std::nullopt : std::optional(joined_answer(said.list, texts));
}

std::optional<ChatMessage> text_answer(std::string_view text, SharedTexts& texts) {
  ChatMessage message;
  message.text = texts.keep(text);
  return joined_answer({message}, texts);
}

std::optional<ChatMessage> answer_value(const OtelValue& value, SharedTexts& texts) {
  const TextTree tree(value.text);
  const JsonValue* root = tree.value();
  if (root == nullptr) return is_blank(value.text) ? std::nullopt : text_answer(value.text, texts);
  if (const JsonValue* content = object_in(root, "content"); array_in(content, "parts") != nullptr) {
    ChatMessages said;
    read_google_message(*content, texts, said);
    return joined_or_none(said, texts);
  }
  if (const JsonValue* message = object_in(root, "message")) root = message;
  const bool calls =
      root->kind == JsonKind::array && root->first_child != nullptr && is_ai_sdk_part(*root->first_child);
  return calls ? ai_sdk_tool_calls(*root, {}, texts) : chat_answer(root, texts);
}

/// The conventions' list of answers has one per choice; the first was gone on with.
std::optional<ChatMessage> first_choice(const OtelValue& value, SharedTexts& texts) {
  const TextTree tree(value.text);
  const JsonValue* root = tree.value();
  if (root == nullptr) return answer_value(value, texts);
  if (root->kind == JsonKind::array) root = root->first_child;
  ChatMessages said;
  if (root != nullptr) read_chat_messages(*root, texts, said);
  return said.list.empty() ? std::nullopt : std::optional(joined_answer(said.list, texts));
}

void add_system_instructions(const OtelAttributes& attributes, SharedTexts& texts, ChatMessages& messages) {
  const OtelValue* value = attributes.first({"gen_ai.system_instructions"});
  const bool has_system = !messages.list.empty() && messages.list.front().role == Role::system;
  if (value == nullptr || has_system) return;
  const TextTree tree(value->text);
  std::string text;
  if (tree.value() == nullptr) {
    text = value->text;
  } else if (tree.value()->kind == JsonKind::array) {
    for (const JsonValue& part : JsonChildren(*tree.value())) {
      const std::string_view content = string_in(&part, "content");
      if (!text.empty() && !content.empty()) text += '\n';
      text += content;
    }
  }
  ChatMessages system;
  read_messages_text(printed({{"role", "system"}, {"content", text}}), texts, system);
  if (!text.empty()) messages.list.insert(messages.list.begin(), system.list.begin(), system.list.end());
}

/// An event's message as JSON; an answer's stands in `message`.
std::string event_message(const OtelEvent& event) {
  const OtelAttributes& said = event.attributes;
  if (const OtelValue* message = said.first({"message"})) return std::string(message->text);
  std::string_view role = event.name;  // gen_ai.user.message
  take_prefix(role, "gen_ai.");
  role = role.substr(0, role.find('.'));
  if (role == "choice") role = "assistant";
  ShallowJson message{{"role", std::string(said.first({"role"}) == nullptr ? role : said.text({"role"}))}};
  message["content"] = std::string(said.text({"content"}));
  const std::string_view call = said.text({"id", "tool_call_id"});
  if (!call.empty()) message["tool_call_id"] = std::string(call);
  std::string all = printed(message);
  const std::string_view calls = said.text({"tool_calls"});
  if (!calls.starts_with('[')) return all;
  all.pop_back();
  return all + ",\"tool_calls\":" + std::string(calls) + '}';
}

bool is_choice(std::string_view event) {
  return event == "gen_ai.choice" || event == "gen_ai.assistant.choice";
}

/// Messages told as events of the span, or as a list of them in an attribute.
void read_event_messages(const OtelSpan& span, bool choices, SharedTexts& texts, ChatMessages& messages) {
  for (const OtelEvent& event : span.events) {
    const bool message = event.name.ends_with(".message") || is_choice(event.name);
    if (message && is_choice(event.name) == choices) read_messages_text(event_message(event), texts, messages);
  }
  const OtelValue* list = span.attributes.first({"events"});
  if (list == nullptr || !span.events.empty()) return;
  const TextTree tree(list->text);
  if (tree.value() == nullptr) {
    messages.whole = false;
    return;
  }
  for (const JsonValue& event : JsonChildren(*tree.value())) {
    if (is_choice(string_in(&event, "event.name")) != choices) continue;
    const JsonValue* message = object_in(&event, "message");
    read_chat_messages(message == nullptr ? event : *message, texts, messages);
  }
}

void read_input(const OtelSpan& span, SharedTexts& texts, ChatCall& call) {
  const OtelAttributes& attributes = span.attributes;
  ChatMessages& input = call.input;
  if (read_indexed(attributes, "llm.input_messages.", "user", texts, input)) return;
  if (const OtelValue* value = attributes.first({"gen_ai.input.messages"})) {
    read_messages_text(value->text, texts, input);
  }
  if (input.list.empty()) read_event_messages(span, false, texts, input);
  if (input.list.empty()) read_indexed(attributes, "gen_ai.prompt.", "user", texts, input);
  if (input.list.empty()) {
    const OtelValue* value = attributes.first({"ai.prompt.messages", "langfuse:input", "input.value", "ai.prompt"});
    if (value != nullptr) read_request_value(*value, texts, call);
  }
  add_system_instructions(attributes, texts, input);
}

std::optional<ChatMessage> ai_sdk_answer(const OtelAttributes& attributes, SharedTexts& texts) {
  const std::string_view text = attributes.text({"ai.response.text", "ai.response.object"});
  const OtelValue* calls = attributes.first({"ai.response.toolCalls"});
  if (calls != nullptr) {
    const TextTree tree(calls->text);
    if (tree.value() != nullptr) return ai_sdk_tool_calls(*tree.value(), text, texts);
  }
  return text.empty() ? std::nullopt : text_answer(text, texts);
}

std::optional<ChatMessage> read_answer(const OtelSpan& span, SharedTexts& texts) {
  const OtelAttributes& attributes = span.attributes;
  ChatMessages said;
  if (read_indexed(attributes, "llm.output_messages.", "assistant", texts, said)) return joined_or_none(said, texts);
  if (const OtelValue* value = attributes.first({"gen_ai.output.messages"})) return first_choice(*value, texts);
  read_event_messages(span, true, texts, said);
  if (said.list.empty()) read_indexed(attributes, "gen_ai.completion.", "assistant", texts, said);
  if (!said.list.empty()) return joined_or_none(said, texts);
  if (auto answer = ai_sdk_answer(attributes, texts)) return answer;
  const OtelValue* value = attributes.first({"langfuse:output", "output.value"});
  return value == nullptr ? std::nullopt : answer_value(*value, texts);
}

/// Tokens as stated by the first family that states them. Some interfaces count cached tokens apart: then there can be
/// more of them than of the input.
Usage otel_usage(const OtelAttributes& attributes) {
  Usage usage;
  usage.input = attributes.whole({"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
                                  "ai.usage.inputTokens", "ai.usage.promptTokens", "langfuse:usageDetails.input"});
  usage.output =
      attributes.whole({"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
                        "ai.usage.outputTokens", "ai.usage.completionTokens", "langfuse:usageDetails.output"});
  usage.cached_input =
      attributes.whole({"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
                        "gen_ai.usage.details.cache_read_tokens", "llm.token_count.prompt_details.cache_read",
                        "ai.usage.cachedInputTokens", "langfuse:usageDetails.input_cache_read"});
  if (usage.input && usage.cached_input && *usage.cached_input > *usage.input) *usage.input += *usage.cached_input;
  return usage;
}

bool has_function_tools(const OtelAttributes& attributes) {
  const OtelValue* parameters = attributes.first({"model_request_parameters"});  // of Pydantic AI
  if (parameters == nullptr) return false;
  const TextTree tree(parameters->text);
  for (const std::string_view list : {"function_tools", "output_tools"}) {
    const JsonValue* tools = array_in(tree.value(), list);
    if (tools != nullptr && tools->children > 0) return true;
  }
  return false;
}

}  // namespace

void read_otel_call(const OtelSpan& span, SharedTexts& texts, ChatCall& call) {
  const OtelAttributes& attributes = span.attributes;
  call.told = true;
  read_input(span, texts, call);
  call.answer = read_answer(span, texts);
  // A call whose content was not captured is a call all the same.
  if (!call.answer && !span.failed) call.answer = joined_answer({}, texts);
  call.model = attributes.text({"gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model",
                                "ai.model.id", "langfuse:model"});
  call.usage = otel_usage(attributes);
  call.cost_usd =
      attributes.number({"operation.cost", "gen_ai.usage.cost", "llm.cost.total", "langfuse:costDetails.total"});
  call.has_tools = call.has_tools || attributes.any_under("llm.tools.") || has_function_tools(attributes) ||
                   attributes.any_under("llm.request.functions.") ||
                   attributes.first({"gen_ai.tool.definitions", "ai.prompt.tools"}) != nullptr;
  call.order = span.start;
  call.time = span.time;
  call.sha256 = span.sha256;
  call.place = span.place;
}

std::optional<std::string_view> otel_tool_answer(const OtelSpan& span) {
  const OtelValue* value =
      span.attributes.first({"gen_ai.tool.call.result", "ai.toolCall.result", "tool_response", "output.value",
                             "gcp.vertex.agent.tool_response", "traceloop.entity.output", "langfuse:output"});
  return value == nullptr ? std::nullopt : std::optional(value->text);
}

}  // namespace memuse::ingest
