#include "judge/quotes.h"

#include <algorithm>

namespace memuse::judge {
namespace {

constexpr std::size_t kContext = 80;  ///< bytes to either side of the value in a long line

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

std::string quote_around(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t before = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  const std::size_t after = text.find('\n', end);
  std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  std::size_t past = std::min(after, text.size());
  if (begin - first > kContext) {
    first = begin - kContext;
    while (first < begin && continues_character(text[first])) ++first;
  }
  if (past - end > kContext) {
    past = end + kContext;
    while (past > end && past < text.size() && continues_character(text[past])) --past;
  }
  return std::string(text.substr(first, past - first));
}

}  // namespace memuse::judge
