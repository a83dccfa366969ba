#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::ingest {

/// JSON made from Python's printed form of a value.
struct PythonAsJson {
  std::string json;
  struct Origin {
    std::size_t json = 0;    ///< offset of the first byte inside the quotes in `json`
    std::size_t python = 0;  ///< and in the Python text
  };
  std::vector<Origin> strings;  ///< ascending; only for tracing texts back
};

/// Translates one value as `repr` prints it: strings in either quotes with their escapes, numbers, None, True, False,
/// lists, tuples (become arrays), dictionaries, and calls with keyword arguments such as `Item(key='a', …)` (become
/// objects). Nothing when the text holds anything else; that its parts stand in an order that makes sense (no `1 2`, no
/// `{1}`) is for the parser of the JSON to say. Linear, without recursion, at most 64 levels deep.
std::optional<PythonAsJson> python_to_json(std::string_view text);

}  // namespace memuse::ingest
