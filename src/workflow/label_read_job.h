#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "workflow/judge_job.h"
#include "workflow/label_sources.h"
#include "workflow/progress.h"

namespace memuse::workflow {

/// What `memuse label --read` is asked to do.
struct LabelReadOptions {
  std::string database;
  std::string path;      ///< a folder that `memuse label --write` made, or a flat file (label_sources.h)
  std::string labeller;  ///< the labels are stored as the answers of `label:LABELLER`
  /// Store labels also where a quote does not stand in the place that it cites, if nothing else is wrong: for labellers
  /// who were shown something that the evidence does not hold. Such a piece of evidence is stored without a place.
  bool accept_unfound_quotes = false;
  SourceRoots source_roots;
  const std::atomic<bool>* stop = nullptr;
};

struct LabelReadSummary {
  std::string judge;               ///< `label:LABELLER`
  std::uint64_t spans = 0;         ///< spans that the files speak of
  std::uint64_t stored = 0;        ///< whose labels passed all checks
  std::uint64_t replaced = 0;      ///< of these, spans that this labeller had labelled before
  std::uint64_t entries = 0;       ///< labelled entries stored
  std::uint64_t blank = 0;         ///< spans whose form was left untouched
  std::uint64_t refused = 0;       ///< spans with faults
  std::uint64_t moved_quotes = 0;  ///< quotes cited from step 0 that stand in a memory text: their citation now says so
  std::vector<LabelFault> unfound;  ///< quotes that were stored without a place, because that was allowed
  std::vector<LabelFault> faults;
  bool interrupted = false;
};

/// Reads labels and stores those that pass the checks of a judge's answers (complete reads excepted: nobody recorded
/// what was read). Labels that this labeller gave to other spans stay. One episode is in memory at a time. Throws
/// Error(usage) for a labeller without a name or files that hold no labels.
LabelReadSummary read_labels(const LabelReadOptions& options, Progress& progress);

}  // namespace memuse::workflow
