#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::agentic_judge {

/// Texts for placeholders, by name.
using Filling = std::map<std::string, std::string, std::less<>>;

/// The names of all `{{name}}` in a prompt text, in their order. What stands behind `{{` up to the next `}}` counts, so
/// that a misspelt placeholder is found and not sent; one without its end is given with all that follows.
std::vector<std::string> placeholders(std::string_view text);

/// `text` with its placeholders filled, without white space at its end. What is filled in is data: it is not looked at
/// for placeholders. Throws Error(usage) for a placeholder that `filling` does not have.
std::string filled(std::string_view text, const Filling& filling);

}  // namespace memuse::agentic_judge
