#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "model/episode.h"

// A text as a page shows it: in parts, of which some are marked, with what is far from every mark left out.

namespace memuse::report {

enum class MarkKind : std::uint8_t {
  memory,  ///< placed by a delivery; the number is that of the span, 0 when the delivery was not consumed
  quote,   ///< cited by a judge; the number is that of the quote
  value    ///< the carried value inside a quote; the number is that of the quote
};

/// A marked stretch of a text.
struct TextMark {
  MarkKind kind = MarkKind::memory;
  ByteRange range;
  std::uint32_t number = 0;
};

/// Bytes around a quote that are kept in a text that is cut.
inline constexpr std::size_t kKeptAroundQuotes = 160;

/// The text as a JSON array. A string is a part without marks; an object `{"t": text, "m": [spans], "q": [quotes],
/// "v": [quotes]}` is a marked part (lists that are empty are left out); `{"cut": N}` stands for N bytes left out. With
/// a `limit`, of a longer text its first two thirds and its last third of so many bytes are kept, of what is marked as
/// memory as many from its start, and all quotes with a little around them. Bytes that are no UTF-8 become U+FFFD when
/// the array is printed.
[[nodiscard]] nlohmann::ordered_json parts_json(std::string_view text, const std::vector<TextMark>& marks,
                                                std::optional<std::size_t> limit);

/// Where `quote` stands in `text`: literally, else with white space folded (semantics.md §2); nothing when it does not.
[[nodiscard]] std::optional<ByteRange> find_quote(std::string_view text, std::string_view quote);

}  // namespace memuse::report
