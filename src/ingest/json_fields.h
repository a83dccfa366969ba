#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/json.h"

// Fields of JSON values that need no diagnostics: what is not there or of another type counts as absent.

namespace memuse::ingest {

/// The object in the field of that name, or null.
const JsonValue* object_in(const JsonValue* value, std::string_view name);
/// The array in the field of that name, or null.
const JsonValue* array_in(const JsonValue* value, std::string_view name);
/// The string in the field of that name, or an empty one.
std::string_view string_in(const JsonValue* value, std::string_view name);
/// The whole number in the field of that name, or nothing.
std::optional<std::uint64_t> whole_in(const JsonValue* value, std::string_view name);
/// The finite number in the field of that name, or nothing.
std::optional<double> number_in(const JsonValue* value, std::string_view name);
/// JSON text of a value, as written where that is possible.
std::string json_text(const JsonValue& value);

/// True when `word` is one of `words`.
template <std::size_t N>
[[nodiscard]] bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace memuse::ingest
