#pragma once

#include <vector>

#include "model/embedded_file.h"

namespace memuse::ingest {

/// The delivery rules of `rules/*.json`, sorted by name.
const std::vector<EmbeddedFile>& rule_presets();

}  // namespace memuse::ingest
