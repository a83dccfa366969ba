#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"

// The JSON form of an answer, as judges write it and as label files hold it:
//   {"entries": [{"entry": 0, "reason": "…", "evidence": [{"step": 3, "quote": "…", "supports": "influence"}],
//                 "relevance": true, "accuracy": "uncontradicted", "novelty": "novel", "influence": "acted_on",
//                 "anchors": [3], "effect": "improved"}]}
// Evidence cites a `step` (0 is the task) or a `file`. Every field of an entry is required; `null` is an answer.

namespace memuse::judge {

/// An answer read from JSON, or the faults that keep it from being one, each saying what to put right.
struct ParsedAnswer {
  std::optional<Answer> answer;
  std::vector<std::string> faults;
};

/// Reads an answer. Unknown fields, missing ones, duplicate keys, wrong types and unknown values are faults. Bounded in
/// depth and size.
ParsedAnswer parse_answer(std::string_view json);

/// Reads one entry object; `more_fields` are fields that the caller reads itself. Adds faults, each beginning with
/// "entry N: " where the number is known; nothing when there was one.
std::optional<EntryAnswer> parse_entry_answer(const nlohmann::json& object,
                                              const std::vector<std::string_view>& more_fields,
                                              std::vector<std::string>& faults);

/// The form that `parse_answer` reads, fields in the order above: reasons before labels.
nlohmann::ordered_json answer_to_json(const Answer& answer);
nlohmann::ordered_json entry_answer_to_json(const EntryAnswer& answer);

}  // namespace memuse::judge
