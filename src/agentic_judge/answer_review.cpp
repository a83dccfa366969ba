#include "agentic_judge/answer_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "evidence/answer_checks.h"
#include "evidence/read_requirements.h"
#include "judge/answer_format.h"
#include "model/text.h"

namespace memuse::agentic_judge {
namespace {

constexpr std::size_t kMostListed = 60;
constexpr std::size_t kMostListedBytes = 12'000;
constexpr std::size_t kLongestFault = 600;

}  // namespace

AnswerReview review_answer(const evidence::EvidenceSet& evidence, const evidence::ReadLedger& ledger,
                           std::string_view json) {
  judge::ParsedAnswer parsed = judge::parse_answer(json);
  if (!parsed.answer) return {std::nullopt, std::move(parsed.faults)};
  Answer& answer = *parsed.answer;
  AnswerReview review;
  review.faults = evidence::unread_faults(evidence, answer, ledger);
  for (std::string& fault : evidence::answer_faults(evidence, answer, evidence::Answerer::model)) {
    review.faults.push_back(std::move(fault));
  }
  if (!review.faults.empty()) return review;
  std::sort(answer.entries.begin(), answer.entries.end(),
            [](const EntryAnswer& a, const EntryAnswer& b) { return a.entry < b.entry; });
  evidence::locate_quotes(evidence, answer);
  review.answer = std::move(answer);
  return review;
}

std::string fault_list(const std::vector<std::string>& faults) {
  std::string list;
  std::size_t listed = 0;
  for (const std::string& fault : faults) {
    const std::string line = fmt::format("{}- {}", list.empty() ? "" : "\n", shortened(fault, kLongestFault));
    if (listed == kMostListed || list.size() + line.size() > kMostListedBytes) break;
    list += line;
    ++listed;
  }
  if (listed < faults.size()) list += fmt::format("\n- and {} more faults like these", faults.size() - listed);
  return list;
}

}  // namespace memuse::agentic_judge
