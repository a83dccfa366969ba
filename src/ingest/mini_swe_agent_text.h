#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::ingest {

/// The commands in the fenced blocks of `text` that open with three back-ticks and `word`, as the tool finds them:
/// white space with at least one line end behind the word, the shortest text up to a line that starts with three
/// back-ticks, white space at both ends cut off. Stops at `most`. Linear.
std::vector<std::string_view> fenced_commands(std::string_view text, std::string_view word, std::size_t most);

/// The fence word of an `action_regex` that has the stock form, e.g. "bash"; nothing for any other pattern.
std::optional<std::string_view> fence_word(std::string_view action_regex);

/// The task in a prompt: what stands between <pr_description> and </pr_description>, else all of it.
std::string_view task_in_prompt(std::string_view prompt);

}  // namespace memuse::ingest
