#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "report/delta_tables.h"

namespace memuse::workflow {

/// What `memuse delta` is asked to do.
struct DeltaOptions {
  std::string declaration;
  std::vector<std::string> results;  ///< beside those that the declaration names
  std::uint64_t resamples = 2'000;
  std::uint64_t seed = 0;
};

struct DeltaOutcome {
  report::DeltaReport report;
  std::vector<Diagnostic> diagnostics;
};

/// Reads declaration and results, and compares. Throws Error(usage) for a declaration that cannot be followed, results
/// that cannot be read, and when none were named.
DeltaOutcome compare_strategies(const DeltaOptions& options);

/// A declaration to complete: the strategies that the results name (or the file, where they name none), with the
/// components that all their rows state; everything else null. `folder` is where the file will lie; empty: unknown,
/// and paths are whole.
std::string delta_draft(const std::vector<std::string>& results, const std::string& folder,
                        std::vector<Diagnostic>& diagnostics);

}  // namespace memuse::workflow
