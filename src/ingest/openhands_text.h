#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "ingest/json.h"

namespace memuse::ingest {

/// The text that the model got for an observation event: commands with where they ran and how they ended, errors with
/// the remark that the tool adds, all others as they are.
std::string openhands_observation_text(const JsonValue& event);

/// The text that the model got for a recall observation: facts of the workspace in the tags that the tool puts around
/// them, and each microagent in its `<EXTRA_INFO>` block. Empty when nothing was sent. Of recalled knowledge, only the
/// names that are not in `shown` are sent, and are put into it.
std::string openhands_recall_text(const JsonValue& extras, std::unordered_set<std::string>& shown);

/// The text without its middle when it has more than `most` characters, as the tool cuts what it sends.
std::string openhands_cut(std::string text, std::optional<std::uint64_t> most);

}  // namespace memuse::ingest
