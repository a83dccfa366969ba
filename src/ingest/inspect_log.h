#pragma once

#include <string>

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Logs of Inspect AI (docs/inspect.md): `.eval`, a zip of JSON members, and `.json`, one document. One sample is in
/// memory at a time (of a `.json` log the whole).
const Adapter& inspect_log_adapter();

/// JSON in which `NaN` and infinities, which Inspect writes bare, have become `null`; their number in `replaced`.
/// Strings stay as they are.
[[nodiscard]] std::string without_bare_numbers(std::string json, std::size_t& replaced);

}  // namespace memuse::ingest
