#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// JSON from and for strangers: bounded in depth and number of values, and always valid UTF-8.

namespace memuse::chat {

/// `text` with every byte that is no UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// What `parse_json` made of a text.
struct ParsedJson {
  std::optional<nlohmann::json> value;
  std::string fault;  ///< why there is no value, for a message; printable
};

/// Parses JSON that may be hostile. Invalid UTF-8 and lone surrogates become U+FFFD; more than 100 levels or a million
/// values are a fault. Never throws for what the text holds.
ParsedJson parse_json(std::string_view text);

/// One line of JSON. Never throws: invalid UTF-8 becomes U+FFFD.
std::string dump_line(const nlohmann::ordered_json& value);
std::string dump_line(const nlohmann::json& value);

/// The string at `key`, or an empty one when it is missing or something else.
std::string string_at(const nlohmann::json& object, std::string_view key);
/// The member at `key`; null when it is missing or `object` is none.
const nlohmann::json& member(const nlohmann::json& object, std::string_view key);

}  // namespace memuse::chat
