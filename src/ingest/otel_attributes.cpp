#include "ingest/otel_attributes.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ingest/json_fields.h"

namespace memuse::ingest {
namespace {

/// Longer names are no attribute of a convention; nested ones are then kept as the JSON they are.
constexpr std::size_t kMaxNameBytes = 256;
constexpr int kMaxNesting = 12;  // a tool call's name in a list of messages lies nine deep

std::string quoted(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_container(const JsonValue& value) {
  return value.kind == JsonKind::object || value.kind == JsonKind::array;
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text[0] != '0');
}

/// The one typed field of an OTLP value, or null.
const JsonValue* typed_field(const JsonValue& value) {
  const JsonValue* inner = value.kind == JsonKind::object ? value.first_child : nullptr;
  return inner != nullptr && inner->key.ends_with("Value") ? inner : nullptr;
}

void append_otlp_json(const JsonValue& value, std::string& out);

void append_otlp_array(const JsonValue* values, std::string& out) {
  out += '[';
  const std::size_t begin = out.size();
  if (values != nullptr) {
    for (const JsonValue& value : JsonChildren(*values)) {
      if (out.size() > begin) out += ',';
      append_otlp_json(value, out);
    }
  }
  out += ']';
}

void append_otlp_object(const JsonValue* values, std::string& out) {
  out += '{';
  const std::size_t begin = out.size();
  if (values != nullptr) {
    for (const JsonValue& pair : JsonChildren(*values)) {
      const JsonValue* value = pair.field("value");
      if (value == nullptr) continue;
      if (out.size() > begin) out += ',';
      (out += quoted(string_in(&pair, "key"))) += ':';
      append_otlp_json(*value, out);
    }
  }
  out += '}';
}

/// As deep as the parser lets a record be.
void append_otlp_json(const JsonValue& value, std::string& out) {
  const JsonValue* inner = typed_field(value);
  if (inner == nullptr) {
    out += "null";
  } else if (inner->key == "arrayValue") {
    append_otlp_array(array_in(inner, "values"), out);
  } else if (inner->key == "kvlistValue") {
    append_otlp_object(array_in(inner, "values"), out);
  } else if (inner->key == "intValue" && is_whole_number(inner->as_string().value_or(""))) {
    out += inner->text;  // 64 bits are written as text there
  } else {
    out += to_json(*inner);
  }
}

OtelValue plain_value(const JsonValue& value, SharedTexts& texts) {
  if (const auto text = value.as_string()) return {texts.keep(*text), false};
  if (value.kind == JsonKind::boolean) return {value.boolean ? "true" : "false", false};
  if (is_container(value)) return {texts.keep(to_json(value)), true};
  return {texts.keep(value.text), false};
}

OtelValue otlp_value(const JsonValue& value, SharedTexts& texts) {
  const JsonValue* inner = typed_field(value);
  if (inner == nullptr || is_container(*inner)) return {texts.keep(otlp_json(value)), true};
  return plain_value(*inner, texts);
}

}  // namespace

std::string otlp_json(const JsonValue& value) {
  std::string out;
  append_otlp_json(value, out);
  return out;
}

void OtelAttributes::add(const JsonValue* attributes, SharedTexts& texts) {
  if (attributes == nullptr) return;
  if (attributes->kind == JsonKind::array) {
    for (const JsonValue& pair : JsonChildren(*attributes)) {
      const std::string_view name = string_in(&pair, "key");
      const JsonValue* value = pair.field("value");
      if (name.empty() || value == nullptr || value->is_null() || values_.contains(name)) continue;
      values_.emplace(texts.keep(name), otlp_value(*value, texts));
    }
  } else if (attributes->kind == JsonKind::object) {
    for (const JsonValue& field : JsonChildren(*attributes)) add_field(std::string(field.key), field, 0, texts);
  }
}

void OtelAttributes::add(std::string_view name, const JsonValue& value, SharedTexts& texts) {
  if (value.is_null() || values_.contains(name)) return;
  values_.emplace(texts.keep(name), plain_value(value, texts));
}

/// A nested value is kept as a whole and by its parts: only the conventions know which of them is the attribute.
void OtelAttributes::add_field(const std::string& name, const JsonValue& value, int nesting, SharedTexts& texts) {
  add(name, value, texts);
  if (!is_container(value) || name.size() > kMaxNameBytes || nesting == kMaxNesting) return;
  std::size_t number = 0;
  for (const JsonValue& part : JsonChildren(value)) {
    add_field(name + '.' + (value.kind == JsonKind::array ? std::to_string(number++) : std::string(part.key)), part,
              nesting + 1, texts);
  }
}

const OtelValue* OtelAttributes::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

const OtelValue* OtelAttributes::first(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const OtelValue* value = find(name);
    if (value != nullptr && !value->text.empty()) return value;
  }
  return nullptr;
}

std::string_view OtelAttributes::text(std::initializer_list<std::string_view> names) const {
  const OtelValue* value = first(names);
  return value == nullptr ? std::string_view{} : value->text;
}

std::optional<std::uint64_t> OtelAttributes::whole(std::initializer_list<std::string_view> names) const {
  constexpr double kMost = 9007199254740992.0;  // beyond it a double is no exact count
  for (const std::string_view name : names) {
    const auto value = number({name});
    if (value && *value <= kMost && std::floor(*value) == *value) return static_cast<std::uint64_t>(*value);
  }
  return std::nullopt;
}

std::optional<double> OtelAttributes::number(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const OtelValue* value = find(name);
    if (value == nullptr || value->structured) continue;
    const std::string_view text = value->text;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole_text = error == std::errc() && end == text.data() + text.size();
    if (whole_text && std::isfinite(number) && number >= 0) return number;
  }
  return std::nullopt;
}

bool OtelAttributes::any_under(std::string_view prefix) const {
  const auto next = values_.lower_bound(prefix);
  return next != values_.end() && next->first.starts_with(prefix);
}

}  // namespace memuse::ingest
