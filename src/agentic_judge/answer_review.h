#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence_set.h"
#include "evidence/read_ledger.h"
#include "model/labels.h"

namespace memuse::agentic_judge {

/// An answer that passed every check, or what keeps it from that.
struct AnswerReview {
  std::optional<Answer> answer;     ///< entries ascending, quotes located
  std::vector<std::string> faults;  ///< unread evidence first: it takes calls to put right
};

/// Reads an answer and checks it (semantics.md §5 and §6) against what the ledger says was shown.
AnswerReview review_answer(const evidence::EvidenceSet& evidence, const evidence::ReadLedger& ledger,
                           std::string_view json);

/// The faults as a list of bounded length, the first ones first, with the number of those left out.
std::string fault_list(const std::vector<std::string>& faults);

}  // namespace memuse::agentic_judge
