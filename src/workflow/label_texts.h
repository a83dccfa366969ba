#pragma once

#include <vector>

#include "model/embedded_file.h"

namespace memuse::workflow {

/// The files of `labelling/`, sorted by name: `readme`, what a person who labels is told.
const std::vector<EmbeddedFile>& label_texts();

}  // namespace memuse::workflow
