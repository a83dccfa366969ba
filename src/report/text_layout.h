#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Laying out text for a terminal: widths in columns, wrapping, padding. All functions expect text that
// `memuse::printable` has made safe; line feeds are the only control characters they know.

namespace memuse::report {

/// Columns that `text` takes on a terminal (wide characters two, combining marks none).
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Lines of at most `width` columns. Breaks at spaces, else after `-`, `_`, `/`, `,`, else anywhere; a line feed always
/// breaks. Indentation is kept; an empty text is one empty line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// `text` cut to `width` columns, the last one `…` when something was cut.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);

/// `text` filled with spaces to `width` columns, at the right or at the left.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

/// `text` wrapped to `width` columns, the first line after `first`, the others after as many spaces; ends with a line
/// feed.
[[nodiscard]] std::string hanging(std::string_view first, std::string_view text, std::size_t width);

/// `count` with thousands separators: 1,234,567.
[[nodiscard]] std::string grouped(std::string_view digits);
/// `1,234,567`.
[[nodiscard]] std::string with_separators(std::uint64_t number);

}  // namespace memuse::report
