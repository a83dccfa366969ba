#pragma once

#include <optional>
#include <string>

#include "figures/figure.h"
#include "model/labels.h"
#include "model/records.h"

namespace memuse::report {

/// The mark of what the labels of an entry say of its use; none for influence `none` and for an open influence.
[[nodiscard]] std::optional<figures::LaneEvent> use_event(const Labels& labels);

/// "Judge tracer/1, rule set memuse-rules/1", or that nothing was judged.
[[nodiscard]] std::string judge_words(const JudgementSetRecord& set);

}  // namespace memuse::report
