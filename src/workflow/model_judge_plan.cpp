#include "workflow/model_judge_plan.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "store/judged_spans.h"
#include "store/judgements.h"
#include "workflow/span_sample.h"

namespace memuse::workflow {
namespace {

std::optional<JudgementSetRecord> set_of(const ModelJudgeSettings& settings, const store::Database& database) {
  const std::string wanted = settings_json(settings);
  for (JudgementSetRecord& set : store::judgement_sets(database)) {
    if (set.judge == settings.judge && set.rules == kRuleSet && set.settings == wanted) return std::move(set);
  }
  return std::nullopt;
}

}  // namespace

JudgePlan::JudgePlan(const ModelJudgeOptions& options, const store::Database& database)
    : options_(options), population_(store::judged_span_count(database)) {
  const std::optional<JudgementSetRecord> known = set_of(options.settings, database);
  if (known) set_ = known->id;
  if (!options.sample) {
    ends_sample_ = known && known->sample;
    return;
  }
  if (known && known->sample &&
      (known->sample->size != options.sample->size || known->sample->seed != options.sample->seed)) {
    throw Error(ExitCode::usage, fmt::format("this judgement set holds a sample of {} spans (seed {}); give the same "
                                             "--sample and --seed to go on with it, or neither to judge all spans",
                                             known->sample->size, known->sample->seed));
  }
  if (known && !known->sample && known->accepted + known->unresolved > 0) {
    throw Error(ExitCode::usage,
                fmt::format("this judgement set already holds answers for {} spans that no sample drew; "
                            "judge on without --sample",
                            known->accepted + known->unresolved));
  }
  new_sample_ = !known || !known->sample;
  settle_sample(database);
}

void JudgePlan::settle_sample(const store::Database& database) {
  sampled_ = true;
  if (new_sample_) {
    SpanSample drawn = draw_sample(sample_frame(database), options_.sample->size, options_.sample->seed);
    facts_ = drawn.facts;
    note_ = workflow::sample_note(drawn);
    sample_ = std::move(drawn.spans);
  } else {
    sample_ = store::sampled_spans(database, *set_);
  }
  for (const SampledSpan& span : sample_) spans_.emplace(span.uid, span.span);
}

PlannedSpan JudgePlan::state(const EpisodeRecord& episode, const SpanRecord& span) const {
  if (!episode.retained || span.routing != Routing::judged) return PlannedSpan::not_asked_for;
  if (sampled_ && !spans_.contains({episode.uid, span.number})) return PlannedSpan::not_asked_for;
  if (span.status == SpanStatus::not_judged || span.answer_basis != answer_basis(options_, episode)) {
    return PlannedSpan::to_judge;
  }
  if (span.status != SpanStatus::unresolved) return PlannedSpan::answered;
  return options_.retry_unresolved ? PlannedSpan::to_judge : PlannedSpan::refused_before;
}

std::string answer_basis(const ModelJudgeOptions& options, const EpisodeRecord& record) {
  if (!options.settings.evidence.outcome) return {};
  const std::string resolved = record.resolved ? (*record.resolved ? "passed" : "failed") : "unknown";
  constexpr std::size_t kDigits = 16;
  return sha256_hex(fmt::format("{}|{}", resolved, record.reward ? fmt::format("{}", *record.reward) : "none"))
      .substr(0, kDigits);
}

}  // namespace memuse::workflow
