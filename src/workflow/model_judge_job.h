#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentic_judge/prompts.h"
#include "chat/chat_model.h"
#include "chat/prices.h"
#include "model/records.h"
#include "workflow/judge_job.h"
#include "workflow/judge_settings.h"
#include "workflow/progress.h"

namespace memuse::workflow {

/// A sample that was asked for.
struct SampleRequest {
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
};

/// What `memuse judge` with a language model is asked to do.
struct ModelJudgeOptions {
  std::string database;
  SourceRoots source_roots;
  ModelJudgeSettings settings;
  agentic_judge::Prompts prompts;
  std::optional<chat::Price> price;        ///< of the model; nothing: tokens are counted and no money
  unsigned parallel = 5;                   ///< spans at a time
  std::optional<double> max_cost;          ///< US dollars that this command may spend; needs a price
  std::optional<std::uint64_t> max_spans;  ///< spans that this command may judge
  std::optional<SampleRequest> sample;
  bool retry_unresolved = false;  ///< ask again where an answer was refused to the end
  const std::atomic<bool>* stop = nullptr;
};

/// Why a command ended before every span had an answer.
enum class StopReason : std::uint8_t { none, max_cost, max_spans, interrupted, endpoint };
std::string_view name(StopReason reason);

/// What became of one span that was not decided.
struct UndecidedSpan {
  std::string span;  ///< CONFIGURATION/RUN/EPISODE/S<n>
  std::string reason;
};

struct ModelJudgeSummary {
  std::string judge;
  std::int64_t set = 0;                 ///< 0 when there was nothing to store
  std::uint64_t spans = 0;              ///< spans that the judge has to answer for (of the sample, if there is one)
  std::uint64_t population = 0;         ///< spans that there are
  bool sampled = false;                 ///< a sample was asked for
  std::uint64_t accepted = 0;           ///< answered now
  std::uint64_t kept = 0;               ///< answered before
  std::uint64_t unresolved = 0;         ///< refused to the end now
  std::uint64_t unresolved_before = 0;  ///< refused to the end before and not asked again
  std::uint64_t failed = 0;             ///< the endpoint gave no reply
  std::uint64_t unread = 0;             ///< their source could not be read again
  std::uint64_t left = 0;               ///< not begun
  CallTotals calls;                     ///< of this command
  bool priced = false;                  ///< a price or the endpoint's own figure was known for every call
  StopReason stopped = StopReason::none;
  std::string stop_message;              ///< for a person, when the endpoint made it stop
  std::vector<UndecidedSpan> undecided;  ///< unresolved and failed ones, in the order of the study
  std::vector<Diagnostic> diagnostics;
};

/// Judges every span of the study (or of the sample) that has no answer in the judgement set of these settings, several
/// at a time. An answer is on disk before it counts. Throws Error(usage) when a sample does not fit what the set holds.
ModelJudgeSummary judge_with_model(const ModelJudgeOptions& options, chat::ChatModel& model, Progress& progress);

}  // namespace memuse::workflow
