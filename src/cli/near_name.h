#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memuse::cli {

/// The name that was probably meant by `word`: the one with the fewest letters to change, add, leave out or exchange
/// with their neighbours (optimal string alignment distance), at most one for every three letters of it; the first of
/// several. Empty when none is that near.
std::string near_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace memuse::cli
