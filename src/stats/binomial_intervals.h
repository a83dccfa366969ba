#pragma once

#include <cstdint>
#include <optional>

#include "stats/interval.h"

// Intervals for a proportion from independent trials. For rows that belong together (several runs of a task, episodes
// of an arc) use the clustered bootstrap instead: these would be too narrow.
//
// Both: nothing when there are no trials or more successes than trials. `confidence` lies in (0, 1). Ends lie in [0,
// 1].

namespace memuse::stats {

/// Score interval (Wilson, "Probable inference, the law of succession, and statistical inference", 1927), without
/// continuity correction. Its coverage is near the nominal one on average; the usual choice.
[[nodiscard]] std::optional<Interval> wilson_interval(std::uint64_t successes, std::uint64_t trials,
                                                      double confidence = 0.95);

/// Exact interval (Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
/// binomial", 1934). Its coverage is never below the nominal one, mostly well above.
[[nodiscard]] std::optional<Interval> clopper_pearson_interval(std::uint64_t successes, std::uint64_t trials,
                                                               double confidence = 0.95);

}  // namespace memuse::stats
