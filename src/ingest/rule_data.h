#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json.h"
#include "ingest/mapped_text.h"
#include "ingest/rule_set.h"
#include "model/arena.h"

namespace memuse::ingest {

/// A text read as data, with the text it was read from (so that values can be found in the message).
struct DecodedText {
  const JsonValue* root = nullptr;  ///< valid until the parser's next use
  MappedText json;
};

/// Takes the steps of `decode` on `text`. Nothing when the text is not what they expect.
std::optional<DecodedText> decode_text(const std::vector<DecodeStep>& steps, const MappedText& text, JsonParser& parser,
                                       Arena& arena);

/// The value at the end of `path` (names, numbers for elements of lists), or null.
const JsonValue* value_at(const JsonValue& from, const std::vector<std::string>& path);

/// The values at the end of a path in which `*` stands for every element or field; nothing when the path leads nowhere.
/// At most `limit` + 1 are collected.
std::optional<std::vector<const JsonValue*>> values_at(const JsonValue& from, const std::vector<std::string>& path,
                                                       std::size_t limit);

/// A value as text: strings as they are, numbers as written, containers as compact JSON; nothing for null.
std::optional<std::string_view> value_text(const JsonValue& value, Arena& arena);

}  // namespace memuse::ingest
