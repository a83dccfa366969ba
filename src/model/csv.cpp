#include "model/csv.h"

#include <fmt/format.h>

#include <array>

#include "model/text.h"

namespace memuse {
namespace {

bool looks_like_formula(std::string_view text) {
  if (text.empty()) return false;
  if (std::string_view("=+-@\t\n|").find(text.front()) != std::string_view::npos) return true;
  static constexpr std::array<std::string_view, 4> kFullWidth{"＝", "＋", "－", "＠"};
  for (const std::string_view sign : kFullWidth) {
    if (text.substr(0, sign.size()) == sign) return true;
  }
  return false;
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string safe = printable(text, true);
  if (looks_like_formula(safe)) safe.insert(safe.begin(), '\'');
  if (safe.find_first_of(",\"\n\r") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

std::string csv_number(double value) {
  return fmt::format("{}", value);
}

}  // namespace memuse
