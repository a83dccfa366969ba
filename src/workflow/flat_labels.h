#pragma once

#include <memory>
#include <string>

#include "workflow/label_sources.h"

namespace memuse::workflow {

/// Reads a flat file of labels (see `open_labels`). The lines may stand in any order: a first pass notes where they
/// are (some 40 bytes a line), and one episode at a time is read from there, in the order of first mention.
std::unique_ptr<LabelSource> open_flat_labels(const std::string& file);

}  // namespace memuse::workflow
