#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "merit/analysis.h"
#include "model/diagnostic.h"
#include "workflow/ingest_job.h"
#include "workflow/progress.h"

namespace memuse::workflow {

/// What `memuse merit` is asked to do.
struct MeritOptions {
  IngestOptions traces;  ///< what to read; its database is not used
  merit::AnalysisOptions analysis;
  std::string families;  ///< file of declared families; empty for none
};

/// What it came to.
struct MeritResult {
  merit::Analysis analysis;
  std::vector<Diagnostic> diagnostics;  ///< sorted by place
  std::uint64_t files = 0;              ///< that held episodes
  std::uint64_t episodes = 0;           ///< read, scored or not
  bool interrupted = false;

  /// Inputs that failed in part or whole.
  [[nodiscard]] bool has_errors() const;
};

/// Reads episodes, keeps a row of each and computes all measures. Memory grows with the number of episodes, by some
/// hundred bytes each. Throws Error for faults of usage and environment, also when no episode can be scored.
MeritResult measure_merit(const MeritOptions& options, Progress& progress);

}  // namespace memuse::workflow
