#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/diagnostic.h"
#include "workflow/progress.h"

namespace memuse::workflow {

/// Folders that have moved since ingest: paths that start with the first are looked for under the second.
using SourceRoots = std::vector<std::pair<std::string, std::string>>;

/// What `memuse judge --judge tracer` is asked to do.
struct JudgeOptions {
  std::string database;
  unsigned jobs = 0;  ///< threads; 0 for as many as there are cores
  SourceRoots source_roots;
  const std::atomic<bool>* stop = nullptr;
};

struct JudgeSummary {
  std::string judge;
  std::uint64_t spans = 0;       ///< spans that the judge has to answer for
  std::uint64_t judged = 0;      ///< answered now
  std::uint64_t kept = 0;        ///< answered before
  std::uint64_t unresolved = 0;  ///< refused answers
  std::uint64_t unread = 0;      ///< spans whose source could not be read again
  std::vector<Diagnostic> diagnostics;
  bool interrupted = false;
};

/// Judges every span that has no answer yet with the offline judge `tracer/1`, in parallel over episodes.
JudgeSummary judge_with_tracer(const JudgeOptions& options, Progress& progress);

}  // namespace memuse::workflow
