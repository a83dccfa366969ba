#pragma once

#include <string>
#include <string_view>

namespace memuse::judge {

/// A piece of `text` that shows bytes [begin, end) to a reader: the lines they stand on, or a part of them when these
/// are long; never cut inside a character. Holds at least 12 characters or whole lines (semantics.md §5, check 4).
std::string quote_around(std::string_view text, std::size_t begin, std::size_t end);

/// At most this many bytes of a value are repeated in an answer.
inline constexpr std::size_t kLongestQuotedValue = 200;

}  // namespace memuse::judge
