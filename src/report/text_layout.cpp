#include "report/text_layout.h"

#include <fmt/format.h>

#include <utf8proc.h>

#include <algorithm>

namespace memuse::report {
namespace {

struct Character {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

/// The character at the start of `text`, which is not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead >= 0x20 ? std::size_t{1} : std::size_t{0}};
  utf8proc_int32_t value = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto length =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4)), &value);
  if (length <= 0) return {1, 1};
  return {static_cast<std::size_t>(length), static_cast<std::size_t>(std::max(0, utf8proc_charwidth(value)))};
}

bool is_alphanumeric(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// True when a line may end before byte `at`, after a joining sign inside a word (never inside `--option`).
bool breaks_before(std::string_view line, std::size_t at) {
  if (at < 2 || at >= line.size()) return false;
  const char sign = line[at - 1];
  if (sign != '-' && sign != '_' && sign != '/' && sign != ',') return false;
  return is_alphanumeric(line[at - 2]) && is_alphanumeric(line[at]);
}

/// Wraps text without line feeds.
void wrap_line(std::string_view line, std::size_t width, std::vector<std::string>& lines) {
  const std::size_t indentation = std::min(line.find_first_not_of(' '), line.size());
  while (true) {
    std::size_t at = 0;
    std::size_t columns = 0;
    std::size_t break_end = 0;   // bytes of the line when broken at the last good place
    std::size_t next_start = 0;  // where the rest starts then
    while (at < line.size()) {
      const Character character = first_character(line.substr(at));
      if (columns + character.columns > width && at > 0) break;
      columns += character.columns;
      if (line[at] == ' ' && at > indentation) {
        break_end = at;
        next_start = at + 1;
      }
      at += character.bytes;
      if (at > width / 2 && breaks_before(line, at)) break_end = next_start = at;
    }
    if (at >= line.size()) break;
    if (line[at] == ' ') {
      break_end = at;
      next_start = at + 1;
    } else if (break_end == 0) {
      break_end = next_start = at;
    }
    lines.emplace_back(line.substr(0, break_end));
    line.remove_prefix(next_start);
    if (line.empty()) return;
  }
  lines.emplace_back(line);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    columns += character.columns;
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 2);
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t', tab)) {
      line.replace(tab, 1, "    ");
    }
    wrap_line(line, width, lines);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string fit(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  std::size_t columns = 0;
  std::size_t cut = 0;  // bytes that leave room for the ellipsis
  while (at < text.size()) {
    const Character character = first_character(text.substr(at));
    columns += character.columns;
    if (columns > width) return width == 0 ? std::string() : std::string(text.substr(0, cut)) + "…";
    at += character.bytes;
    if (columns < width) cut = at;
  }
  return std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  return std::string(text) + std::string(columns < width ? width - columns : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  return std::string(columns < width ? width - columns : 0, ' ') + std::string(text);
}

std::string hanging(std::string_view first, std::string_view text, std::size_t width) {
  const std::size_t indent = display_width(first);
  const std::string other(indent, ' ');
  std::string out;
  bool at_first = true;
  for (const std::string& line : wrap(text, width > indent + 20 ? width - indent : 20)) {
    out += at_first ? std::string(first) : line.empty() ? std::string() : other;
    out += line;
    out += '\n';
    at_first = false;
  }
  return out;
}

std::string grouped(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string with_separators(std::uint64_t number) {
  return grouped(fmt::format("{}", number));
}

}  // namespace memuse::report
