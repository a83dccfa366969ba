#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Widths of drawn texts, so that places can be found for them before anything is drawn. The figures' font has the
// metrics of Helvetica; characters outside ASCII are taken as wide as they can be.

namespace memuse::figures {

/// Height of a line of text, in points, at a font size in points.
[[nodiscard]] double line_height(double font_size);

/// Width of `text` in points.
[[nodiscard]] double text_width(std::string_view text, double font_size);

/// `text` cut to `width` points, its last character `…` when something was cut.
[[nodiscard]] std::string fit_text(std::string_view text, double font_size, double width);

/// At most `max_lines` lines of at most `width` points; breaks after spaces, `-`, `_`, `/`, `,`, else anywhere; what
/// does not fit is cut, which the last line's `…` shows.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, double font_size, double width,
                                                 std::size_t max_lines);

}  // namespace memuse::figures
