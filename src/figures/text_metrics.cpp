#include "figures/text_metrics.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/text.h"

namespace memuse::figures {
namespace {

// Advance widths of Helvetica, U+0020 to U+007E, in thousandths of the font size (Adobe's Core 14 AFM files).
constexpr std::array<std::uint16_t, 95> kWidths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr std::string_view kEllipsis = "…";

struct Character {
  std::size_t length = 1;
  double width = 0.0;  // in font sizes
};

Character character_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first >= 0x20 && first < 0x7F) return {1, kWidths[first - 0x20U] / 1000.0};
  utf8proc_int32_t value = -1;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (length <= 0) return {1, 1.0};
  const int columns = utf8proc_charwidth(value);
  if (columns == 0) return {static_cast<std::size_t>(length), 0.0};
  // Scripts other than Latin come from another font, which may be wider.
  const bool narrow = columns == 1 && value < 0x250;
  return {static_cast<std::size_t>(length), narrow ? 0.67 : 1.05};
}

/// Bytes of the longest prefix of `text` that is at most `width` font sizes wide.
std::size_t prefix_that_fits(std::string_view text, double width) {
  std::size_t place = 0;
  double used = 0.0;
  while (place < text.size()) {
    const Character next = character_at(text.substr(place));
    if (used + next.width > width) break;
    used += next.width;
    place += next.length;
  }
  return place;
}

std::string_view without_outer_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Bytes of the first line of `text`.
std::size_t line_break(std::string_view text, double width) {
  const std::size_t most = std::max<std::size_t>(prefix_that_fits(text, width), character_at(text).length);
  if (most >= text.size() || text[most] == ' ') return std::min(most, text.size());
  const std::size_t place = text.substr(0, most).find_last_of(" -_/,");
  // A break that leaves next to nothing on the line is worse than one inside a word.
  return place == std::string_view::npos || place * 3 < most ? most : place + 1;
}

}  // namespace

std::string drawable(std::string_view text) {
  // Pango draws a box for a character without a glyph, and at the scale of a figure that box covers the page.
  const std::string safe = printable(text);
  std::string out;
  for (std::string_view rest = safe; !rest.empty();) {
    utf8proc_int32_t value = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                                         static_cast<utf8proc_ssize_t>(rest.size()), &value);
    const std::size_t bytes = length > 0 ? static_cast<std::size_t>(length) : 1;
    const utf8proc_category_t category = utf8proc_category(value);
    if (category == UTF8PROC_CATEGORY_CN || category == UTF8PROC_CATEGORY_CO) {
      out += fmt::format("\\u{:04x}", value);
    } else {
      out += rest.substr(0, bytes);
    }
    rest.remove_prefix(bytes);
  }
  return out;
}

double line_height(double font_size) {
  return 1.2 * font_size;
}

double text_width(std::string_view text, double font_size) {
  double width = 0.0;
  while (!text.empty()) {
    const Character next = character_at(text);
    width += next.width;
    text.remove_prefix(std::min(next.length, text.size()));
  }
  return width * font_size;
}

bool words_fit(std::string_view text, double font_size, double width) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" -_/,");
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    if (text_width(text.substr(0, length), font_size) > width) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string fit_text(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return std::string(text);
  const double room = width / font_size - 1.0;
  const std::string_view kept = text.substr(0, room > 0.0 ? prefix_that_fits(text, room) : 0);
  return std::string(without_outer_spaces(kept)).append(kEllipsis);
}

std::vector<std::string> wrap_text(std::string_view text, double font_size, double width, std::size_t max_lines) {
  std::vector<std::string> lines;
  text = without_outer_spaces(text);
  while (!text.empty()) {
    if (lines.size() + 1 >= max_lines) {
      lines.push_back(fit_text(text, font_size, width));
      break;
    }
    const std::size_t length = line_break(text, width / font_size);
    lines.emplace_back(without_outer_spaces(text.substr(0, length)));
    text = without_outer_spaces(text.substr(length));
  }
  return lines;
}

}  // namespace memuse::figures
