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

/// `owner/name` of a SWE-bench instance id (`owner__name-123`); empty for other ids.
std::string repository_of_instance(std::string_view instance_id);

/// Last part of a model name with routing prefixes: `model` for `provider/model`.
std::string_view model_without_route(std::string_view model_name);

/// File name without `.traj.json`, or else without its last extension.
std::string instance_of_path(const std::string& path);

/// Name of the folder that holds the run's trajectories: the file's folder, or the one above it when the tool has given
/// the instance a folder of its own. The same for a relative and an absolute path; empty at the root.
std::string run_folder_of_path(const std::string& path, std::string_view instance_id);

/// RFC 3339 in UTC, to the millisecond, of seconds since 1970; nothing outside the years 1970 to 9999.
std::optional<std::string> utc_time(double seconds);

}  // namespace memuse::ingest
