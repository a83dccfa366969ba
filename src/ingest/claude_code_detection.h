#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memuse::ingest {

/// Tells a session file of Claude Code by its first records: by the ids that each carries, or by the kinds of record
/// that only this tool writes. The version is that of the tool, empty when the head does not show it.
std::optional<std::string> detect_claude_code(std::string_view head);

}  // namespace memuse::ingest
