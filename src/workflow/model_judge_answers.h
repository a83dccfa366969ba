#pragma once

#include <optional>

#include "agentic_judge/span_judge.h"
#include "chat/prices.h"
#include "model/records.h"

// What a span's judgement becomes in the database.

namespace memuse::workflow {

/// Tokens and money of all calls that a span took.
CallTotals call_totals(const agentic_judge::SpanJudgement& judgement, const std::optional<chat::Price>& price);
/// Adds `more` to `totals`.
void add(const CallTotals& more, CallTotals& totals);

/// Ledger, calls with their raw replies, and the model that answered.
JudgementDetails judgement_details(const agentic_judge::SpanJudgement& judgement);

}  // namespace memuse::workflow
