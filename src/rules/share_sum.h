#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace memuse::rules {

/// Mean of fractions n/d that is the same for any order in which they come.
///
/// Numerators are summed as integers per denominator; only `mean` divides, in ascending order of the denominators.
/// Memory grows with the number of distinct denominators (entries per span), not with the number of fractions.
class ShareSum {
 public:
  /// Adds one fraction; `denominator` must not be 0.
  void add(std::uint64_t numerator, std::uint64_t denominator);
  void merge(const ShareSum& other);
  /// Nothing when no fraction was added.
  [[nodiscard]] std::optional<double> mean() const;
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::map<std::uint64_t, std::uint64_t> numerators_;  ///< by denominator
  std::uint64_t count_ = 0;
};

}  // namespace memuse::rules
