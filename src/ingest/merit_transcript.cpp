#include "ingest/merit_transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace memuse::ingest {
namespace {

constexpr std::string_view kHeading = "[memory shown]\n";
constexpr std::string_view kUser = "\n[user] ";
constexpr std::string_view kAssistant = "\n[assistant] ";
constexpr std::string_view kTool = "\n[tool ";
constexpr auto kNowhere = std::string_view::npos;
/// Every line that is not found costs a search to the end; after so many no further one is looked for.
constexpr std::size_t kMaxMisses = 8;

constexpr std::array<std::pair<BlockRule, std::string_view>, 5> kRules{{{BlockRule::c0_message, "c0-message"},
                                                                        {BlockRule::c4_message, "c4-message"},
                                                                        {BlockRule::first_user_line, "first-user-line"},
                                                                        {BlockRule::tool_lines, "tool-lines"},
                                                                        {BlockRule::last_user_line, "last-user-line"}}};

/// The place of a whole line in `text`, searched backwards from the end; the line feed in front of it is part of
/// `line`.
std::size_t find_last_line(std::string_view text, std::string_view line) {
  std::size_t at = text.rfind(line);
  while (at != kNowhere) {
    const std::size_t end = at + line.size();
    if (end == text.size() || text[end] == '\n') return at;
    if (at == 0) return kNowhere;
    at = text.rfind(line, at - 1);
  }
  return kNowhere;
}

std::size_t find_line(std::string_view text, std::string_view line, std::size_t from) {
  std::size_t at = text.find(line, from);
  while (at != kNowhere) {
    const std::size_t end = at + line.size();
    if (end == text.size() || text[end] == '\n') return at;
    at = text.find(line, at + 1);
  }
  return kNowhere;
}

/// Start of the first of the calls, matched from the end; nowhere when there are none or they do not match.
std::size_t first_call_from_end(std::string_view text, const std::vector<std::string>& tool_lines) {
  std::size_t at = kNowhere;
  for (auto line = tool_lines.rbegin(); line != tool_lines.rend(); ++line) {
    at = find_last_line(text, "\n" + *line);
    if (at == kNowhere) return kNowhere;
    text = text.substr(0, at);
  }
  return at;
}

std::size_t next_mark(std::string_view text, std::size_t from) {
  return std::min(text.find(kUser, from), text.find(kAssistant, from));
}

/// Adds the user and assistant parts of a stretch without calls; what stands before the first mark is none.
void add_texts(std::string_view stretch, std::vector<TurnPart>& parts) {
  for (std::size_t at = next_mark(stretch, 0); at != kNowhere;) {
    const bool is_user = stretch.substr(at).starts_with(kUser);
    const std::size_t begin = at + (is_user ? kUser : kAssistant).size();
    at = next_mark(stretch, begin);
    parts.push_back({is_user ? TurnPart::Kind::user : TurnPart::Kind::assistant,
                     stretch.substr(begin, at == kNowhere ? at : at - begin), 0});
  }
}

}  // namespace

std::string_view name(BlockRule rule) {
  for (const auto& [known, word] : kRules) {
    if (known == rule) return word;
  }
  return {};
}

std::optional<BlockRule> parse_block_rule(std::string_view name) {
  for (const auto& [rule, word] : kRules) {
    if (word == name) return rule;
  }
  return std::nullopt;
}

std::optional<std::string_view> after_memory_heading(std::string_view transcript) {
  if (!transcript.starts_with(kHeading)) return std::nullopt;
  return transcript.substr(kHeading.size());
}

std::string tool_line(std::string_view name, std::string_view arguments, std::string_view out) {
  return fmt::format("[tool {}] args={} -> {}", name, arguments, out);
}

std::optional<std::string_view> first_message(std::string_view after_heading) {
  const std::size_t at = after_heading.find(kUser);
  if (at == kNowhere) return std::nullopt;
  const std::string_view rest = after_heading.substr(at + kUser.size());
  return rest.substr(0, std::min(rest.find(kTool), rest.find(kAssistant)));
}

std::optional<BlockEnd> find_block_end(std::string_view after_heading, const std::optional<KnownMessage>& known,
                                       bool plain_block, const std::vector<std::string>& tool_lines) {
  if (known) {
    const std::size_t at = find_last_line(after_heading, fmt::format("{}{}", kUser, known->text));
    if (at != kNowhere) return BlockEnd{at, known->rule};
  }
  if (plain_block) {
    const std::size_t at = after_heading.find(kUser);
    if (at != kNowhere) return BlockEnd{at, BlockRule::first_user_line};
  }
  if (const std::size_t call = first_call_from_end(after_heading, tool_lines); call != kNowhere) {
    const std::size_t at = after_heading.substr(0, call).rfind(kUser);
    if (at != kNowhere) return BlockEnd{at, BlockRule::tool_lines};
  }
  const std::size_t at = after_heading.rfind(kUser);
  if (at == kNowhere) return std::nullopt;
  return BlockEnd{at, BlockRule::last_user_line};
}

Turns split_turns(std::string_view after_block, const std::vector<std::string>& tool_lines) {
  Turns turns;
  std::size_t done = 0;
  for (std::size_t call = 0; call < tool_lines.size(); ++call) {
    const std::string line = "\n" + tool_lines[call];
    const bool hopeless = turns.calls_not_found >= kMaxMisses;
    const std::size_t at = hopeless ? kNowhere : find_line(after_block, line, done);
    if (at == kNowhere) {
      ++turns.calls_not_found;
    } else {
      add_texts(after_block.substr(done, at - done), turns.parts);
      done = at + line.size();
    }
    turns.parts.push_back({TurnPart::Kind::call, {}, call});
  }
  add_texts(after_block.substr(done), turns.parts);
  return turns;
}

}  // namespace memuse::ingest
