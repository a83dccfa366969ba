#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "model/labels.h"
#include "model/span.h"

namespace memuse::judge {

/// What a judge may do, and what it may cite beside the episode itself.
struct CheckOptions {
  /// Relevance and accuracy must be answered, except by a judge that does not assess them.
  bool assesses_relevance = true;
  bool assesses_accuracy = true;
  /// Texts of an evidence file that the episode does not hold (`outcome`, an added reference); nothing for unknown
  /// files.
  std::function<std::optional<std::vector<std::string>>(std::string_view file)> more_files;
};

/// Options for answers of the offline judge.
CheckOptions tracer_checks();

/// Consistency checks 1–5 of semantics.md §5 on one answer, with a message for every fault that says what to put right;
/// empty when the answer is in order. A step is cited by number or as the file `steps/NNNN`; 0 is the task.
std::vector<std::string> answer_faults(const Episode& episode, const Span& span, const Answer& answer,
                                       const CheckOptions& options);

}  // namespace memuse::judge
