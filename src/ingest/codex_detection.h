#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memuse::ingest {

/// Version of a rollout file.
inline constexpr std::string_view kCodexRollout = "rollout";
/// Version of the stream that `codex exec --json` prints.
inline constexpr std::string_view kCodexExec = "exec";

/// Tells both by the kinds of their first records.
std::optional<std::string> detect_codex(std::string_view head);

}  // namespace memuse::ingest
