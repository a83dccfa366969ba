#pragma once

#include <vector>

#include "model/embedded_file.h"

namespace memuse::agentic_judge {

/// The files of `prompts/`, sorted by name.
const std::vector<EmbeddedFile>& prompt_files();

}  // namespace memuse::agentic_judge
