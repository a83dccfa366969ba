#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Widths of drawn texts, so that places can be found for them before anything is drawn. The figures' font has the
// metrics of Helvetica; characters outside ASCII are taken as wide as they can be.

namespace memuse::figures {

/// `text` as it is drawn: on one line, control characters, what is no UTF-8 and characters that no font can have
/// (unassigned, private use) as visible escapes.
[[nodiscard]] std::string drawable(std::string_view text);

/// Height of a line of text, in points, at a font size in points.
[[nodiscard]] double line_height(double font_size);

/// Width of `text` in points.
[[nodiscard]] double text_width(std::string_view text, double font_size);

/// Can every word of `text`, up to and with the character after which it may break, stand whole on a line of `width`
/// points?
[[nodiscard]] bool words_fit(std::string_view text, double font_size, double width);

/// `text` cut to `width` points, its last character `…` when something was cut.
[[nodiscard]] std::string fit_text(std::string_view text, double font_size, double width);

/// At most `max_lines` lines of at most `width` points; breaks after spaces, `-`, `_`, `/`, `,`, else anywhere; what
/// does not fit is cut, which the last line's `…` shows.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, double font_size, double width,
                                                 std::size_t max_lines);

}  // namespace memuse::figures
