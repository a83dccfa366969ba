#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::judge {

/// What a document from outside may be at most.
struct JsonLimits {
  std::size_t bytes = std::size_t{4} << 20U;
  std::size_t levels = 8;  ///< of objects and arrays in each other
};

/// Parses JSON as one who must not be misunderstood: a key that stands twice in an object, bytes after the value,
/// invalid UTF-8 and documents beyond the limits are faults, added to `faults` in words that their author can act on.
/// Nothing when there was one.
std::optional<nlohmann::json> parse_strict_json(std::string_view text, const JsonLimits& limits,
                                                std::vector<std::string>& faults);

}  // namespace memuse::judge
