#pragma once

namespace memuse::report {

/// Decimals of percentages and of p-values in the tables of comparisons.
inline constexpr int kPercentDecimals = 1;
inline constexpr int kPDecimals = 4;

}  // namespace memuse::report
