#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"
#include "model/records.h"
#include "store/damage.h"

// JSON inside columns: written by hand, because most of it is written once per message or entry; read with a library.

namespace memuse::store {

/// Appends `text` as a JSON string. Bytes that are not UTF-8 become U+FFFD, since JSON cannot hold them.
void append_json_string(std::string& out, std::string_view text);

/// `["a","b"]`.
template <typename Strings>
std::string json_string_array(const Strings& strings) {
  std::string out = "[";
  for (const auto& text : strings) {
    if (out.size() > 1) out += ',';
    append_json_string(out, text);
  }
  out += ']';
  return out;
}

/// `[1,2]`.
std::string json_number_array(const std::vector<std::uint32_t>& numbers);

/// Parses what a column holds. Throws `Error{ExitCode::environment}`, since only damage can make it invalid.
nlohmann::json parse_column(std::string_view text);

/// The field of that name, if there is one.
template <typename Value>
std::optional<Value> optional_field(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : std::optional(found->get<Value>());
}

/// Runs `read`; JSON of another shape than memuse writes is damage.
template <typename Read>
auto without_damage(Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  }
}

/// What `json_string_array` and `json_number_array` wrote. They throw like `parse_column`.
std::vector<std::string> string_array(std::string_view text);
std::vector<std::uint32_t> number_array(std::string_view text);

/// Anchors, evidence and reason of an answer as one JSON object; the labels have columns of their own.
std::string answer_to_json(const EntryAnswer& answer);
/// Fills anchors, evidence and reason of `answer`.
void answer_from_json(std::string_view text, EntryAnswer& answer);

/// The sums of calls without a cost as a JSON array of `[kind, model, calls, input, cached, output]`; nothing when
/// there are none.
std::optional<std::string> uncosted_calls_to_json(const EpisodeRecord& record);
/// Fills `agent_uncosted` and `side_uncosted`. Throws like `parse_column`.
void uncosted_calls_from_json(std::string_view text, EpisodeRecord& record);

}  // namespace memuse::store
