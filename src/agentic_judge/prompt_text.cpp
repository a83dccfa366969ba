#include "agentic_judge/prompt_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"

namespace memuse::agentic_judge {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

/// Hands out plain text and placeholders in turn.
template <typename Plain, typename Placeholder>
void for_each_piece(std::string_view text, const Plain& plain, const Placeholder& placeholder) {
  while (!text.empty()) {
    const std::size_t open = std::min(text.find(kOpen), text.size());
    plain(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) return;
    const std::size_t close = text.find(kClose);
    // Without its end it is no placeholder that anybody knows.
    if (close == std::string_view::npos) return placeholder(text);
    placeholder(text.substr(kOpen.size(), close - kOpen.size()));
    text.remove_prefix(close + kClose.size());
  }
}

}  // namespace

std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> names;
  for_each_piece(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

std::string filled(std::string_view text, const Filling& filling) {
  std::string out;
  for_each_piece(
      trimmed(text), [&](std::string_view plain) { out += plain; },
      [&](std::string_view name) {
        const auto value = filling.find(name);
        if (value == filling.end()) {
          throw Error(ExitCode::usage, fmt::format("a prompt holds the placeholder {{{{{}}}}}, which does not exist",
                                                   printable(shortened(name, 60))));
        }
        out += value->second;
      });
  return out;
}

}  // namespace memuse::agentic_judge
