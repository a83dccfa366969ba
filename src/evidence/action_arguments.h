#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::evidence {

/// One value of an action's arguments.
struct Argument {
  std::string path;      ///< keys and indices from the top, joined by `/` (escaped as in a JSON pointer); may be empty
  std::string value;     ///< a decoded string, or the JSON text of a number, `true`, `false`, `null`, `{}`, `[]`
  bool is_text = false;  ///< `value` is a decoded string
};

/// All values of arguments given as JSON, in order. Arguments that are JSON inside a JSON string are unwrapped once.
/// Nothing when they are no JSON, or nested so deeply or with keys so long that listing them would blow them up.
std::optional<std::vector<Argument>> action_arguments(std::string_view json);

}  // namespace memuse::evidence
