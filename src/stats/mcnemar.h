#pragma once

#include <cstdint>

namespace memuse::stats {

/// Exact McNemar test: two-sided p for the hypothesis that two strategies, tried on the same instances, are equally
/// often right. `only_first` and `only_second` count the discordant instances, those that one alone got right; the
/// concordant ones carry no information about the difference.
///
/// p = min(1, 2 P(X <= min(only_first, only_second))), X binomial with the discordant instances as trials and
/// probability 1/2 (McNemar, "Note on the sampling error of the difference between correlated proportions or
/// percentages", 1947; exact form: Fagerland, Lydersen and Laake, "The McNemar test for binary matched-pairs data",
/// 2013). In (0, 1] down to the smallest double; 1 when there is no discordant instance.
[[nodiscard]] double mcnemar_exact(std::uint64_t only_first, std::uint64_t only_second);

}  // namespace memuse::stats
