#include "ingest/record_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"

namespace memuse::ingest {
namespace {

/// Fields that have a bit each: that many records have, and hardly more.
constexpr std::size_t kMarked = 64;

}  // namespace

const JsonValue* RecordFields::present(std::string_view field) {
  if (object_.kind != JsonKind::object) return nullptr;
  std::size_t place = 0;
  for (const JsonValue& value : JsonChildren(object_)) {
    if (same_key(value.key, field)) {
      if (place < kMarked) {
        asked_ |= std::uint64_t{1} << place;
      } else {
        asked_beyond_.push_back(field);
      }
      return value.is_null() ? nullptr : &value;
    }
    ++place;
  }
  return nullptr;
}

void RecordFields::report(Severity severity, Fault fault, const std::string& detail) {
  // The fields of something inside a record have a name with a dot.
  const Loss loss = name_.find('.') == std::string::npos ? Loss::record : Loss::part;
  log_.add(severity, fault, place_.line, place_.byte, detail, loss);
}

void RecordFields::report_type(std::string_view field, std::string_view expected, Severity severity) {
  clean_ = false;
  report(severity, Fault::wrong_type, fmt::format("`{}.{}` should be {}", name_, field, expected));
}

std::optional<std::string_view> RecordFields::required_string(std::string_view field) {
  const JsonValue* value = present(field);
  if (value != nullptr && value->as_string()) return value->as_string();
  complete_ = false;
  report(Severity::error, Fault::missing_field, fmt::format("`{}.{}` (a string)", name_, field));
  return std::nullopt;
}

std::optional<std::string_view> RecordFields::string(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr) return std::nullopt;
  if (!value->as_string()) report_type(field, "a string", Severity::warning);
  return value->as_string();
}

std::optional<std::string_view> RecordFields::string_or_number(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonKind::string || value->kind == JsonKind::number) return value->text;
  report_type(field, "a string or a number", Severity::warning);
  return std::nullopt;
}

std::optional<bool> RecordFields::boolean(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr) return std::nullopt;
  if (!value->as_bool()) report_type(field, "true or false", Severity::warning);
  return value->as_bool();
}

std::optional<std::uint64_t> RecordFields::whole(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr) return std::nullopt;
  if (!value->as_unsigned()) report_type(field, "a whole number", Severity::warning);
  return value->as_unsigned();
}

std::optional<double> RecordFields::number(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr) return std::nullopt;
  if (!value->as_double()) report_type(field, "a finite number", Severity::warning);
  return value->as_double();
}

const JsonValue* RecordFields::array(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr || value->kind == JsonKind::array) return value;
  report_type(field, "an array", Severity::warning);
  return nullptr;
}

const JsonValue* RecordFields::object(std::string_view field) {
  const JsonValue* value = present(field);
  if (value == nullptr || value->kind == JsonKind::object) return value;
  report_type(field, "an object", Severity::warning);
  return nullptr;
}

const JsonValue* RecordFields::any(std::string_view field) {
  return present(field);
}

std::vector<std::string_view> RecordFields::strings(std::string_view field) {
  std::vector<std::string_view> all;
  const JsonValue* value = array(field);
  if (value == nullptr) return all;
  for (const JsonValue& element : JsonChildren(*value)) {
    if (element.kind == JsonKind::string || element.kind == JsonKind::number) {
      all.push_back(element.text);
    } else {
      report_type(field, "an array of strings", Severity::warning);
    }
  }
  return all;
}

std::vector<std::string_view> RecordFields::strings(std::string_view field, std::size_t most) {
  std::vector<std::string_view> all = strings(field);
  if (all.size() <= most) return all;
  clean_ = false;
  report(Severity::error, Fault::invalid_row,
         fmt::format("`{}.{}` has {} values, more than {}", name_, field, all.size(), most));
  return {};
}

std::vector<std::uint64_t> RecordFields::wholes(std::string_view field) {
  std::vector<std::uint64_t> all;
  const JsonValue* value = array(field);
  if (value == nullptr) return all;
  for (const JsonValue& element : JsonChildren(*value)) {
    if (const auto number = element.as_unsigned()) {
      all.push_back(*number);
    } else {
      report_type(field, "an array of whole numbers", Severity::warning);
    }
  }
  return all;
}

std::vector<const JsonValue*> RecordFields::objects(std::string_view field) {
  std::vector<const JsonValue*> all;
  const JsonValue* value = array(field);
  if (value == nullptr) return all;
  for (const JsonValue& element : JsonChildren(*value)) {
    if (element.kind == JsonKind::object) {
      all.push_back(&element);
    } else {
      report_type(field, "an array of objects", Severity::warning);
    }
  }
  return all;
}

/// Of a key that stands twice only the first is marked.
bool RecordFields::was_asked_for(std::string_view field) const {
  std::size_t place = 0;
  for (const JsonValue& value : JsonChildren(object_)) {
    if (place == kMarked) break;
    if ((asked_ >> place & 1U) != 0 && same_key(value.key, field)) return true;
    ++place;
  }
  return std::find(asked_beyond_.begin(), asked_beyond_.end(), field) != asked_beyond_.end();
}

void RecordFields::count_unknown() {
  if (object_.kind != JsonKind::object) return;
  std::size_t place = 0;
  for (const JsonValue& field : JsonChildren(object_)) {
    const bool marked = place < kMarked && (asked_ >> place & 1U) != 0;
    if (!marked && !was_asked_for(field.key)) {
      log_.count_unknown_field(name_, field.key, place_.line, place_.byte);
    }
    ++place;
  }
}

void report_repairs(const JsonRepairs& repairs, RecordPlace place, DiagnosticLog& log, const JsonValue* map) {
  if (repairs.strings > 0) {
    log.add(Severity::warning, Fault::lone_surrogate, place.line, place.byte,
            fmt::format("in {} string(s)", repairs.strings));
  }
  for (const std::string_view key : repairs.duplicate_keys) {
    if (map != nullptr && map->field(key) != nullptr) continue;
    log.add(Severity::warning, Fault::duplicate_key, place.line, place.byte, fmt::format("`{}`", shortened(key, 60)));
  }
}

}  // namespace memuse::ingest
