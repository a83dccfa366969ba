#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memuse::stats {

/// How often two raters chose each pair of categories. Categories are numbered from 0 by the caller; "does not say" (a
/// label of null) is a category like any other. Counts are doubles so that pairs can carry sampling weights and so that
/// the matrix can be a resample's sums; whole numbers stay exact.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::size_t categories) : ConfusionMatrix(categories, {}) {}
  /// From `categories` × `categories` counts, line by line (first rater down, second across); none means all zero.
  ConfusionMatrix(std::size_t categories, std::span<const double> counts);

  /// One more pair: the first rater chose `first`, the second `second`.
  void add(std::size_t first, std::size_t second, double weight = 1.0);

  [[nodiscard]] std::size_t categories() const { return categories_; }
  [[nodiscard]] double count(std::size_t first, std::size_t second) const {
    return counts_[first * categories_ + second];
  }
  /// All counts, line by line.
  [[nodiscard]] std::span<const double> counts() const { return counts_; }
  /// Number of pairs (sum of weights).
  [[nodiscard]] double n() const;
  /// Share of pairs in which both raters chose the same category; nothing without pairs.
  [[nodiscard]] std::optional<double> agreement() const;
  /// The matrix of some categories, in the order given; pairs with any other category are left out. `kept` are
  /// distinct.
  [[nodiscard]] ConfusionMatrix restricted_to(std::span<const std::size_t> kept) const;

 private:
  std::size_t categories_;
  std::vector<double> counts_;
};

/// Agreement beyond chance, (p_o - p_e) / (1 - p_e), chance from both raters' own shares (Cohen, "A coefficient of
/// agreement for nominal scales", 1960). 1 is full agreement, 0 what chance gives, negative is less. Nothing without
/// pairs or when both raters always chose one and the same category, as then chance explains everything.
[[nodiscard]] std::optional<double> cohen_kappa(const ConfusionMatrix& matrix);

/// The same for ordered categories: a disagreement counts by its distance |i - j| (Cohen, "Weighted kappa", 1968;
/// linear weights: Cicchetti and Allison 1971). Equal to `cohen_kappa` for two categories. A category without a place
/// in the order (null) must be taken out first: `linear_weighted_kappa(matrix.restricted_to(ordered))`.
[[nodiscard]] std::optional<double> linear_weighted_kappa(const ConfusionMatrix& matrix);

}  // namespace memuse::stats
