#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence_set.h"
#include "model/diagnostic.h"
#include "model/records.h"
#include "workflow/judge_job.h"
#include "workflow/progress.h"

namespace memuse::workflow {

/// What `memuse label --write` is asked to do.
struct LabelWriteOptions {
  std::string database;
  std::string folder;                   ///< new, or empty
  std::optional<std::uint64_t> sample;  ///< number of spans to draw; all when not given
  std::uint64_t seed = 0;               ///< of the sample, and of the numbers of a blind folder
  bool blind = false;                   ///< neutral names; no outcome
  std::string labeller;                 ///< for whom it is; empty for nobody in particular
  evidence::EvidenceOptions evidence;
  SourceRoots source_roots;
  const std::atomic<bool>* stop = nullptr;
};

struct LabelWriteSummary {
  std::string folder;
  std::uint64_t spans = 0;     ///< forms written
  std::uint64_t episodes = 0;  ///< that they belong to
  std::uint64_t unread = 0;    ///< spans whose source could not be read again
  std::optional<JudgementSetRecord::Sample> sample;
  std::string note;  ///< what the sample does not represent; empty if nothing
  std::vector<Diagnostic> diagnostics;
  bool interrupted = false;
};

/// Writes a folder with the evidence and a form for every span to label, one episode in memory at a time. Throws
/// Error(usage) when the folder holds anything already, Error(environment) when it cannot be written.
LabelWriteSummary write_label_folder(const LabelWriteOptions& options, Progress& progress);

}  // namespace memuse::workflow
