#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "ingest/pipeline.h"
#include "model/diagnostic.h"
#include "model/episode.h"
#include "workflow/progress.h"

namespace memuse::workflow {

/// What `memuse ingest` is asked to do.
struct IngestOptions {
  std::vector<std::string> traces;  ///< files, folders, archives; `-` for standard input
  std::string database;
  ingest::PipelineOptions pipeline;
  std::string manifest;  ///< file that names the study (ingest/manifest.h); empty for none
  std::string outcomes;  ///< file or folder of outcomes; empty for none
  std::string probes;    ///< file of probes; empty for none
};

/// What it came to.
/// How well episodes are known: their number by grade, in the order of the grades.
struct EpisodeGrades {
  std::array<std::uint64_t, 4> visible_input{};  ///< by VisibilityGrade
  std::array<std::uint64_t, 4> deliveries{};     ///< by DeliveryGrade

  void add(const Episode& episode) {
    ++visible_input[static_cast<std::size_t>(episode.visibility)];
    ++deliveries[static_cast<std::size_t>(episode.delivery_grade)];
  }
};

struct IngestSummary {
  std::uint64_t files = 0;  ///< files looked at
  std::uint64_t files_with_episodes = 0;
  std::uint64_t episodes = 0;           ///< episodes read
  EpisodeGrades grades;                 ///< of the episodes read
  std::uint64_t episodes_added = 0;     ///< of these, new in the database
  std::uint64_t episodes_known = 0;     ///< of these, already there, unchanged
  std::uint64_t episodes_replaced = 0;  ///< earlier versions that newer ones from the same file replaced
  std::uint64_t outcomes_applied = 0;   ///< rows of files that the user named
  std::uint64_t outcomes_found = 0;     ///< verdicts of reports that lay beside the traces
  std::vector<Diagnostic> diagnostics;  ///< sorted by place
  std::string standard_input;           ///< where a copy of standard input is kept; empty for none
  bool interrupted = false;

  /// Inputs that failed in part or whole (diagnostics of severity error).
  [[nodiscard]] bool has_errors() const;
};

/// Reads traces, computes spans and stores both. Throws Error for faults of usage and environment.
IngestSummary ingest_traces(const IngestOptions& options, Progress& progress);

/// Prints every episode as memuse-trace/1 to `out`, in the order of files and of episodes in
/// them; the summary counts what was read.
IngestSummary emit_trace(const IngestOptions& options, std::ostream& out);

}  // namespace memuse::workflow
