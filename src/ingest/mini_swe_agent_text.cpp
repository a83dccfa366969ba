#include "ingest/mini_swe_agent_text.h"

#include <algorithm>

#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kClosing = "\n```";
constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

}  // namespace

// The tool's pattern is ```WORD\s*\n(.*?)\n``` with dots that match line ends. `\s*` is greedy, so the command starts
// behind the last line end of the white space; only if that leaves no closing fence does it start earlier.
std::vector<std::string_view> fenced_commands(std::string_view text, std::string_view word, std::size_t most) {
  std::vector<std::string_view> commands;
  const std::string opening = std::string(kFence) + std::string(word);
  for (std::size_t at = text.find(opening); at != std::string_view::npos && commands.size() < most;) {
    const std::size_t gap = at + opening.size();
    const std::size_t content = std::min(text.find_first_not_of(kWhiteSpace, gap), text.size());
    const std::size_t last_end = text.substr(gap, content - gap).rfind('\n');
    if (last_end == std::string_view::npos) {
      at = text.find(opening, gap);
      continue;
    }
    std::size_t begin = gap + last_end + 1;
    std::size_t end = text.find(kClosing, begin);
    if (end == std::string_view::npos) {
      const bool closed_at_once = text.substr(begin).starts_with(kFence);
      const std::size_t first_end = gap + text.substr(gap).find('\n');
      if (!closed_at_once || first_end + 1 >= begin) break;
      begin = first_end + 1;
      end = gap + last_end;
    }
    commands.push_back(trimmed(text.substr(begin, end - begin)));
    at = text.find(opening, end + kClosing.size());
  }
  return commands;
}

std::optional<std::string_view> fence_word(std::string_view action_regex) {
  constexpr std::string_view kRest = R"(\s*\n(.*?)\n```)";
  if (!action_regex.starts_with(kFence) || !action_regex.ends_with(kRest)) return std::nullopt;
  const std::string_view word = action_regex.substr(kFence.size(), action_regex.size() - kFence.size() - kRest.size());
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (word.empty() || !plain) return std::nullopt;
  return word;
}

std::string_view task_in_prompt(std::string_view prompt) {
  constexpr std::string_view kOpen = "<pr_description>";
  const std::size_t open = prompt.find(kOpen);
  if (open == std::string_view::npos) return prompt;
  const std::size_t begin = open + kOpen.size();
  const std::size_t end = prompt.find("</pr_description>", begin);
  if (end == std::string_view::npos) return prompt;
  return trimmed(prompt.substr(begin, end - begin));
}

}  // namespace memuse::ingest
