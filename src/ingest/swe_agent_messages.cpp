#include "ingest/swe_agent_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/text.h"

namespace memuse::ingest {
namespace {

std::optional<Role> swe_role(std::string_view name) {
  if (name == "developer") return Role::system;
  if (name == "function") return Role::tool;
  return parse_role(name);
}

}  // namespace

// A limit that is reached, or an environment that died, ends the run with a step of the tool's own. In >= 1.1 its query
// is empty; before, its thought says so and is, at most, repeated as the response.
bool SweStep::is_call() const {
  if (query) return !query->empty();
  return !thought.starts_with("Exit due to ") || !(is_blank(response) || response == thought);
}

std::string_view SweMessageReader::text_of(const JsonValue* content, RecordFields& message) {
  if (content == nullptr) return {};
  if (const auto text = content->as_string()) return *text;
  if (content->kind != JsonKind::array) {
    message.report(Severity::warning, Fault::wrong_type,
                   fmt::format("`{}.content` should be a string or an array of parts", message.name()));
    recorder_.mark_damaged();
    return {};
  }
  std::vector<std::string_view> texts;
  for (const JsonValue& part : JsonChildren(*content)) {
    const JsonValue* text = part.field("text");
    if (text != nullptr && text->as_string()) {
      texts.push_back(text->text);
    } else {  // an image, say: the model saw something that is not here
      const JsonValue* type = part.field("type");
      log_.count_unknown_type(
          fmt::format("content part {}", type == nullptr ? "without type" : or_empty(type->as_string())),
          message.place().line, message.place().byte);
      recorder_.mark_damaged();
    }
  }
  if (texts.size() == 1) return texts.front();
  return recorder_.keep(fmt::format("{}", fmt::join(texts, "\n")));
}

std::optional<SweMessage> SweMessageReader::message(const JsonValue& value, std::size_t index, std::string_view name) {
  RecordFields fields(value, std::string(name), places_.at(value.byte), log_);
  if (value.kind != JsonKind::object) {
    fields.report(Severity::error, Fault::not_an_object, fmt::format("{}[{}]", name, index));
    recorder_.mark_damaged();
    return std::nullopt;
  }
  const auto role_name = fields.required_string("role");
  const auto role = role_name ? swe_role(*role_name) : std::nullopt;
  if (!role) {
    if (role_name) {
      fields.report(Severity::error, Fault::unknown_value,
                    fmt::format("`{}.role` is \"{}\"; the message was set aside", name, shortened(*role_name, 60)));
    }
    recorder_.mark_damaged();
    return std::nullopt;
  }
  SweMessage message;
  message.role = *role;
  message.index = index;
  message.text = text_of(fields.any("content"), fields);
  message.agent = or_empty(fields.string("agent"));
  const std::string_view type = or_empty(fields.string("message_type"));
  message.demo = fields.boolean("is_demo").value_or(false) || type == "demonstration";
  message.observation = type == "observation";
  message.thought = or_empty(fields.string("thought"));
  message.action = or_empty(fields.string("action"));
  message.tool_calls = fields.array("tool_calls");
  if (const auto ids = fields.strings("tool_call_ids"); !ids.empty()) message.tool_call = ids.front();
  if (const auto id = fields.string("tool_call_id")) message.tool_call = *id;
  message.tags = fields.strings("tags");
  for (const JsonValue* block : fields.objects("thinking_blocks")) {
    const JsonValue* thinking = block->field("thinking");
    if (thinking != nullptr && message.thinking.empty()) message.thinking = or_empty(thinking->as_string());
  }
  fields.any("cache_control");
  fields.any("name");
  fields.count_unknown();
  return message;
}

std::vector<SweMessage> SweMessageReader::messages(const JsonValue& array, std::string_view name) {
  std::vector<SweMessage> all;
  all.reserve(array.children);
  std::size_t index = 0;
  for (const JsonValue& value : JsonChildren(array)) {
    // An input that no call was given is one empty object.
    const bool nothing = value.kind == JsonKind::object && value.children == 0;
    if (!nothing) {
      if (auto read = message(value, index, name)) all.push_back(std::move(*read));
    }
    ++index;
  }
  return all;
}

std::optional<std::vector<SweMessage>> SweMessageReader::stated(RecordFields& step, std::string_view field) {
  const JsonValue* array = step.array(field);
  if (array == nullptr) return std::nullopt;
  return messages(*array, fmt::format("{}.{}", step.name(), field));
}

std::vector<SweStep> SweMessageReader::steps(const JsonValue& array) {
  std::vector<SweStep> all;
  all.reserve(array.children);
  std::size_t index = 0;
  for (const JsonValue& value : JsonChildren(array)) {
    RecordFields fields(value, "trajectory", places_.at(value.byte), log_);
    if (value.kind != JsonKind::object) {
      fields.report(Severity::error, Fault::not_an_object, fmt::format("trajectory[{}]", index++));
      recorder_.mark_damaged();
      continue;
    }
    SweStep& step = all.emplace_back();
    step.index = index++;
    step.response = or_empty(fields.string("response"));
    step.thought = or_empty(fields.string("thought"));
    step.action = or_empty(fields.string("action"));
    step.observation = or_empty(fields.string("observation"));
    if (const JsonValue* state = fields.any("state")) {
      step.state_is_object = state->kind == JsonKind::object;
      step.state_is_text = state->kind == JsonKind::string;
    }
    step.query = stated(fields, "query");
    step.processed = stated(fields, "messages");
    for (const std::string_view known : {"execution_time", "extra_info"}) fields.any(known);
    fields.count_unknown();
  }
  return all;
}

}  // namespace memuse::ingest
