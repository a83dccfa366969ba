#include "rules/measures.h"

namespace memuse::rules {

const std::array<MeasureInfo, kMeasureCount>& measures() {
  static constexpr std::array<MeasureInfo, kMeasureCount> kMeasures{{
      {Measure::relevance, "relevance", "Relevance", Unit::share, "the entry is relevant"},
      {Measure::corroboration, "corroboration", "Corroboration", Unit::share, "relevant and accuracy corroborated"},
      {Measure::information_gain, "information_gain", "Information gain", Unit::share,
       "relevant and novel or confirming"},
      {Measure::acted_on, "acted_on", "Acted on", Unit::share, "influence acted_on"},
      {Measure::benefit, "benefit", "Benefit", Unit::share, "acted on and improved"},
      {Measure::harm, "harm", "Harm", Unit::share, "acted on and harmed (lower is better)"},
      {Measure::contradicted, "contradicted", "Contradicted", Unit::share, "accuracy contradicted"},
      {Measure::novelty_null, "novelty_null", "Novelty open", Unit::share, "the record does not settle novelty"},
      {Measure::influence_null, "influence_null", "Influence open", Unit::share,
       "the record does not settle influence"},
      {Measure::effect_null, "effect_null", "Effect open", Unit::share,
       "acted on, and the record does not settle the effect"},
      {Measure::relevance_null, "relevance_null", "Relevance not assessed", Unit::share, "no answer on relevance"},
      {Measure::accuracy_null, "accuracy_null", "Accuracy not assessed", Unit::share, "no answer on accuracy"},
      {Measure::beneficial_yield, "beneficial_yield", "Beneficial", Unit::per_hundred_spans,
       "beneficial entries per 100 profiled spans"},
      {Measure::harmful_yield, "harmful_yield", "Harmful", Unit::per_hundred_spans,
       "harmful entries per 100 profiled spans"},
      {Measure::token_efficiency, "token_efficiency", "Token efficiency", Unit::per_million_tokens,
       "beneficial entries per million delivered tokens, restatements and unprofiled spans included"},
      {Measure::restatement_share, "restatement_share", "Restatements", Unit::share,
       "deliveries that repeat what is still visible"},
      {Measure::resolved, "resolved", "Resolved", Unit::share,
       "retained episodes resolved; one without a result counts as not resolved"},
  }};
  return kMeasures;
}

}  // namespace memuse::rules
