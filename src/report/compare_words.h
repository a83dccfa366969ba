#pragma once

#include <string>
#include <vector>

#include "report/compare_tables.h"

// Sentences that the tables and the JSON of a comparison share.

namespace memuse::report {

/// "the models differ (a against b), so the difference may not be due to memory"; one for each confound.
[[nodiscard]] std::vector<std::string> warnings_of(const attribution::Comparison& comparison,
                                                   attribution::Factor declared);

/// The caption: what the values are over, methods, the family, what was left out, definitions, provenance.
[[nodiscard]] std::string compare_caption(const CompareReport& report);

/// `percentile` or `bca`.
[[nodiscard]] std::string_view method_name(stats::IntervalMethod method);

/// `bootstrap`, `mcnemar_exact`; empty for none.
[[nodiscard]] std::string_view p_method_name(attribution::PMethod method);

}  // namespace memuse::report
