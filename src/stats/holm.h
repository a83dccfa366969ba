#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memuse::stats {

/// p-values adjusted for the number of tests in one family (Holm, "A simple sequentially rejective multiple test
/// procedure", 1979): with the m existing values in ascending order, p_(0) ... p_(m-1), the i-th becomes
/// min(1, max over j <= i of (m - j) p_(j)). Results stand in the order of the input.
///
/// A test without a p-value (nothing, or NaN) stays nothing and does not count towards m, as in MERIT's analysis.
/// Rejecting where the adjusted value is below a level keeps the chance of any false rejection in the family below it.
[[nodiscard]] std::vector<std::optional<double>> holm_adjusted(std::span<const std::optional<double>> p_values);

/// A test and the family it is adjusted within.
struct FamilyTest {
  std::string family;
  std::optional<double> p;
};

/// `holm_adjusted` within each family; results in the order of the input.
[[nodiscard]] std::vector<std::optional<double>> holm_adjusted_by_family(std::span<const FamilyTest> tests);

}  // namespace memuse::stats
