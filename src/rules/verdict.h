#pragma once

#include <span>
#include <string_view>

#include "model/labels.h"
#include "model/version.h"

// From labels to verdicts (semantics.md §7). Pure functions; their meaning is that of the rule set `kRuleSet`.

namespace memuse::rules {

/// An entry is beneficial when it was acted on and its effect is `improved`.
[[nodiscard]] bool is_beneficial(const Labels& labels);

/// An entry is harmful when it was acted on and its effect is `harmed`.
[[nodiscard]] bool is_harmful(const Labels& labels);

/// True when an entry leaves its span undetermined: influence `null`, or acted on with effect `null`.
[[nodiscard]] bool is_unsettled(const Labels& labels);

/// Verdict of a span from the labels of its assessed entries; `neutral` without any, as automatic and empty spans are.
[[nodiscard]] Verdict span_verdict(std::span<const Labels> assessed);
/// Verdict of a span from a judge's answer.
[[nodiscard]] Verdict answer_verdict(const Answer& answer);

/// The rule behind a verdict, as a sentence for people.
[[nodiscard]] std::string_view verdict_rule(Verdict verdict);

}  // namespace memuse::rules
