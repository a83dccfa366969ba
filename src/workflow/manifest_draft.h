#pragma once

#include <string>
#include <vector>

#include "ingest/pipeline.h"

namespace memuse::workflow {

/// A manifest (ingest/manifest.h) to start from, as CSV: one row for each folder whose traces are of one run, with the
/// names that they have now; where a folder holds several runs, one for each file or claimed folder in it, with the
/// names left empty where one file holds several. Evaluation reports among `files` that are one run's are its outcomes.
/// `inputs` are the paths that were looked through; `folder` is where the manifest will lie: paths are relative to it
/// when they can be.
std::string manifest_draft(const std::vector<ingest::FileReport>& files, const std::vector<std::string>& inputs,
                           const std::string& folder);

}  // namespace memuse::workflow
