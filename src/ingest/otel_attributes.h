#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/chat_message.h"
#include "ingest/json.h"

namespace memuse::ingest {

/// A value of an attribute.
struct OtelValue {
  std::string_view text;    ///< a string, the digits of a number, or JSON
  bool structured = false;  ///< `text` is JSON of an array or object that was not in a string
};

/// Attributes of a span by their full names, whichever way they were written: OTLP's list of keys and typed values, or
/// an object, flat or nested. Texts are those of the `SharedTexts` they were read with.
class OtelAttributes {
 public:
  /// Adds the attributes of a list or an object; one that is there already stays.
  void add(const JsonValue* attributes, SharedTexts& texts);
  /// Adds one; one that is there already stays.
  void add(std::string_view name, const JsonValue& value, SharedTexts& texts);

  /// The value of that name, or null.
  [[nodiscard]] const OtelValue* find(std::string_view name) const;
  /// The first of the names that is there and not empty, or null.
  [[nodiscard]] const OtelValue* first(std::initializer_list<std::string_view> names) const;
  /// The text of the first of the names that is there and not empty.
  [[nodiscard]] std::string_view text(std::initializer_list<std::string_view> names) const;
  /// The first that is a whole number, also one written as text.
  [[nodiscard]] std::optional<std::uint64_t> whole(std::initializer_list<std::string_view> names) const;
  /// The first that is a finite number of at least 0, also one written as text.
  [[nodiscard]] std::optional<double> number(std::initializer_list<std::string_view> names) const;
  /// True when some name begins so.
  [[nodiscard]] bool any_under(std::string_view prefix) const;

  using Values = std::map<std::string_view, OtelValue>;
  /// All of them, by name.
  [[nodiscard]] const Values& all() const { return values_; }

 private:
  void add_field(const std::string& name, const JsonValue& value, int nesting, SharedTexts& texts);

  Values values_;
};

/// The JSON that an OTLP value (`{"stringValue": …}`, `{"arrayValue": …}`) stands for.
std::string otlp_json(const JsonValue& value);

}  // namespace memuse::ingest
