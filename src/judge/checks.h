#pragma once

#include <string>
#include <vector>

#include "judge/cited_place.h"
#include "model/episode.h"
#include "model/labels.h"
#include "model/span.h"

namespace memuse::judge {

/// What a judge may leave open.
struct CheckOptions {
  /// Relevance and accuracy must be answered, except by a judge that does not assess them.
  bool assesses_relevance = true;
  bool assesses_accuracy = true;
};

/// Options for answers of the offline judge.
CheckOptions tracer_checks();

/// Consistency checks 1–5 of semantics.md §5 on one answer, with a message for every fault that says what to put right;
/// empty when the answer is in order. A step is cited by number or as the file `steps/NNNN`; 0 is the task. Quotes are
/// looked for in `places`.
std::vector<std::string> answer_faults(const Span& span, const Answer& answer, const CheckOptions& options,
                                       CitedPlaces& places);
/// The same with the quotes looked for in the episode itself.
std::vector<std::string> answer_faults(const Episode& episode, const Span& span, const Answer& answer,
                                       const CheckOptions& options);

}  // namespace memuse::judge
