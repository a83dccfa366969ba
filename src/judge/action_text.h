#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

namespace memuse::judge {

/// What an action says, as text to search in and to quote from.
struct ActionText {
  /// The decoded strings of the arguments, in order; the arguments as recorded when they are no JSON.
  std::vector<std::string> strings;
};

/// Decodes the arguments of an action. Arguments that are JSON inside a JSON string are unwrapped once. Nesting costs
/// no stack; invalid JSON is taken as plain text.
ActionText action_text(const Action& action);

}  // namespace memuse::judge
