#pragma once

#include <memory>
#include <string>

#include "workflow/label_sources.h"

namespace memuse::workflow {

/// Reads the forms of a folder that `memuse label --write` made, in its order. One episode is in memory at a time.
std::unique_ptr<LabelSource> open_label_folder(const std::string& folder);

}  // namespace memuse::workflow
