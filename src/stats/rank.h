#pragma once

#include <optional>
#include <span>
#include <vector>

// Agreement of two rankings, for example of the same strategies under two model families.
//
// Both coefficients lie in [-1, 1]: 1 when the order is the same, -1 when it is reversed. Nothing when the two sides
// differ in length, have fewer than two values, hold a NaN, or one side's values are all equal. Infinite values have a
// rank.

namespace memuse::stats {

/// Ranks from 1 for the smallest; equal values share the mean of their ranks. No value may be NaN.
[[nodiscard]] std::vector<double> mid_ranks(std::span<const double> values);

/// Spearman's rho: the correlation of the mid-ranks (Spearman, "The proof and measurement of association between two
/// things", 1904).
[[nodiscard]] std::optional<double> spearman_rho(std::span<const double> first, std::span<const double> second);

/// Kendall's tau-b: (concordant - discordant pairs) / sqrt(pairs untied on the first side × untied on the second)
/// (Kendall, "The treatment of ties in ranking problems", 1945). Looks at every pair: meant for rankings, not for rows.
[[nodiscard]] std::optional<double> kendall_tau(std::span<const double> first, std::span<const double> second);

}  // namespace memuse::stats
