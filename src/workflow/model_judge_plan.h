#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/records.h"
#include "store/database.h"
#include "workflow/model_judge_job.h"

namespace memuse::workflow {

/// What a command that judges with a model does about one span.
enum class PlannedSpan : std::uint8_t {
  not_asked_for,   ///< routed otherwise, an attempt that gave way, or not drawn by the sample
  to_judge,        ///< it has no answer, or one that rests on an outcome that has changed since
  answered,        ///< keeps its answer
  refused_before,  ///< refused to the end before, and `--retry-unresolved` was not given
};

/// Which spans are judged, and why not the others: the same for judging and for its estimate.
class JudgePlan {
 public:
  /// Looks up the judgement set of these settings, and draws the sample when one is asked for that the set does not
  /// hold yet; nothing is written. Throws Error(usage) when the sample does not fit what the set holds.
  JudgePlan(const ModelJudgeOptions& options, const store::Database& database);

  /// The judgement set; nothing when there is none of these settings.
  [[nodiscard]] std::optional<std::int64_t> set() const { return set_; }
  /// Spans that there are, and spans that are asked for.
  [[nodiscard]] std::uint64_t population() const { return population_; }
  [[nodiscard]] std::uint64_t asked_for() const { return sampled_ ? spans_.size() : population_; }
  /// True when the spans are those of a sample that the set does not hold yet.
  [[nodiscard]] bool is_new_sample() const { return new_sample_; }
  /// True when the set holds a sample and none was asked for.
  [[nodiscard]] bool ends_sample() const { return ends_sample_; }
  [[nodiscard]] const std::vector<SampledSpan>& sampled() const { return sample_; }
  [[nodiscard]] const JudgementSetRecord::Sample& sample_facts() const { return facts_; }
  /// Strata that the sample does not represent, in words; empty when it represents all.
  [[nodiscard]] const std::string& sample_note() const { return note_; }

  /// What is done about a span; its status is that of `set()`.
  [[nodiscard]] PlannedSpan state(const EpisodeRecord& episode, const SpanRecord& span) const;

 private:
  void settle_sample(const store::Database& database);

  const ModelJudgeOptions& options_;
  std::optional<std::int64_t> set_;
  std::uint64_t population_ = 0;
  bool sampled_ = false;
  bool new_sample_ = false;
  bool ends_sample_ = false;
  JudgementSetRecord::Sample facts_;
  std::vector<SampledSpan> sample_;
  std::set<std::pair<std::string, std::uint32_t>> spans_;
  std::string note_;
};

/// What the answers of these settings rest on beside the trace: the recorded outcome, when it is shown; else nothing.
std::string answer_basis(const ModelJudgeOptions& options, const EpisodeRecord& record);

}  // namespace memuse::workflow
