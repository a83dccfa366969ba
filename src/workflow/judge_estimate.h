#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workflow/model_judge_job.h"

namespace memuse::workflow {

/// A range of what judging may take.
struct CostRange {
  std::uint64_t calls = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::optional<double> cost_usd;  ///< nothing without a price
};

/// What `memuse judge --dry-run` says. Nothing is asked of any model.
struct JudgeEstimate {
  std::string judge;
  std::uint64_t spans = 0;           ///< that would be judged by this command
  std::uint64_t unread = 0;          ///< whose sources could not be read, so that nothing is known of their size
  std::uint64_t entries = 0;         ///< that need an answer
  std::uint64_t evidence_bytes = 0;  ///< of all evidence files of these spans
  std::uint64_t required_bytes = 0;  ///< of what every answer needs
  CostRange low, high;
  std::vector<std::string> assumptions;  ///< sentences that say how the two ends were put together
  std::vector<Diagnostic> diagnostics;
};

/// Reads the sources of the spans that `judge_with_model` would judge and adds up what a judge reads at least and at
/// most. The database is left alone.
JudgeEstimate estimate_judging(const ModelJudgeOptions& options, Progress& progress);

}  // namespace memuse::workflow
