#include "ingest/json_fields.h"

namespace memuse::ingest {
namespace {

const JsonValue* field_in(const JsonValue* value, std::string_view name) {
  return value == nullptr ? nullptr : value->field(name);
}

}  // namespace

const JsonValue* object_in(const JsonValue* value, std::string_view name) {
  const JsonValue* found = field_in(value, name);
  return found != nullptr && found->kind == JsonKind::object ? found : nullptr;
}

const JsonValue* array_in(const JsonValue* value, std::string_view name) {
  const JsonValue* found = field_in(value, name);
  return found != nullptr && found->kind == JsonKind::array ? found : nullptr;
}

std::string_view string_in(const JsonValue* value, std::string_view name) {
  const JsonValue* found = field_in(value, name);
  return found == nullptr ? std::string_view{} : found->as_string().value_or(std::string_view{});
}

std::optional<std::uint64_t> whole_in(const JsonValue* value, std::string_view name) {
  const JsonValue* found = field_in(value, name);
  return found == nullptr ? std::nullopt : found->as_unsigned();
}

std::optional<double> number_in(const JsonValue* value, std::string_view name) {
  const JsonValue* found = field_in(value, name);
  return found == nullptr ? std::nullopt : found->as_double();
}

std::string json_text(const JsonValue& value) {
  const bool container = value.kind == JsonKind::object || value.kind == JsonKind::array;
  if (container && !has_surrogate_escape(value.text)) return std::string(value.text);
  return to_json(value);
}

}  // namespace memuse::ingest
