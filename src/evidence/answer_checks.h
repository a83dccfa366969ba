#pragma once

#include <string>
#include <vector>

#include "evidence/evidence_set.h"
#include "model/labels.h"

namespace memuse::evidence {

/// Who answers, and so which checks apply.
enum class Answerer : std::uint8_t {
  model,  ///< a judge behind an endpoint: every signal is assessed
  person  ///< labels by other hands: the same checks; reads are not recorded and so not checked here either
};

/// Consistency checks 1–5 of semantics.md §5 (see judge/checks.h) with the quotes looked for in what the evidence files
/// show; the messages say what to put right. Empty when the answer is in order. Check 6, complete reads, is
/// `unread_faults`.
std::vector<std::string> answer_faults(const EvidenceSet& evidence, const Answer& answer, Answerer answerer);

/// Fills `Evidence::place` of every piece of evidence whose quote stands in the evidence file
/// that it cites (the first place where it does); the others stay as they are.
void locate_quotes(const EvidenceSet& evidence, Answer& answer);

}  // namespace memuse::evidence
