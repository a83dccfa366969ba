#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agentic_judge/prompts.h"
#include "chat/chat_model.h"
#include "evidence/evidence_set.h"
#include "evidence/evidence_tools.h"
#include "evidence/read_ledger.h"
#include "model/labels.h"

namespace memuse::agentic_judge {

/// How the model asks for tools.
enum class ToolProtocol : std::uint8_t {
  native,  ///< the endpoint's tool calls
  json     ///< one JSON object a reply, for models without tool calls
};

/// Budgets of semantics.md §6.
struct Budget {
  std::uint32_t calls = 250;           ///< model calls a span, the forced final answer included
  std::uint32_t repair_rounds = 2;     ///< rounds that list faults and ask again
  std::uint32_t calls_per_repair = 4;  ///< on top of `calls`
  std::uint64_t context_tokens = 272'000;
  std::uint32_t max_output_tokens = 32'768;
};

/// How spans are judged; all of it is part of the judgement set's settings.
struct SpanJudgeOptions {
  ToolProtocol protocol = ToolProtocol::native;
  Budget budget;
  evidence::ToolLimits limits;
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;
};

/// What became of one span.
enum class SpanOutcome : std::uint8_t {
  accepted,    ///< `answer` passed all checks
  unresolved,  ///< refused to the end; `reasons` say why
  failed       ///< the endpoint gave no reply; nothing was decided, and the span can be judged later
};

/// What a call of the conversation was.
struct CallRecord {
  std::uint32_t call = 0;  ///< as in `chat::CallPlace`; a call that gave no reply has a number too, and no record
  chat::TokenUsage usage;
  std::string model;
  std::string reply;  ///< the reply as JSON (chat::to_json)
};

struct SpanJudgement {
  SpanOutcome outcome = SpanOutcome::failed;
  Answer answer;                     ///< when accepted; entries ascending, quotes located
  std::vector<std::string> reasons;  ///< when unresolved: faults of the last refused answer, or why there was none
  std::uint32_t refused_answers = 0;
  std::optional<chat::ChatError> error;  ///< when failed
  evidence::ReadLedger ledger;
  std::vector<CallRecord> calls;
  std::string returned_model;  ///< model id that the endpoint returned last
};

/// Throws Error(usage) for settings with which no span can be judged: no call at all, or a context window that the
/// output alone would fill.
void check_options(const SpanJudgeOptions& options);

/// Judges one span through the tool loop of semantics.md §6: the model gets the index of the evidence, reads through
/// tools, answers; refused answers go back with their faults; the ledger keeps what successful calls were shown.
/// The span is one that is routed to the judge. Blocking; touches nothing but its arguments. Throws as `check_options`
/// does, and Error(usage) for prompts with unknown placeholders.
SpanJudgement judge_span(const evidence::EvidenceSet& evidence, chat::ChatModel& model, const std::string& episode_uid,
                         const Prompts& prompts, const SpanJudgeOptions& options);

}  // namespace memuse::agentic_judge
