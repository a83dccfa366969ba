#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memuse::stats {

/// Whether categories are only different (`nominal`) or also stand in the order of their numbers (`ordinal`).
enum class Scale { nominal, ordinal };

/// The coincidences within units of any number of raters, some of whom may not have rated a unit (Krippendorff,
/// "Computing Krippendorff's alpha-reliability", 2011): every ordered pair of ratings of a unit by different raters
/// counts 1/(m - 1), m the number of ratings that the unit has. A unit with fewer than two ratings adds nothing.
///
/// Pairs are counted as integers for each m, so the order of units and raters does not matter, down to the last bit.
class Coincidences {
 public:
  /// Categories are numbered from 0 by the caller.
  explicit Coincidences(std::size_t categories) : categories_(categories) {}

  /// One unit: the category that each rater chose, nothing where one chose none.
  void add_unit(std::span<const std::optional<std::size_t>> ratings);

  /// `categories` × `categories` coincidences, line by line: the input of `krippendorff_alpha`. They add up over units,
  /// so a bootstrap over units or episodes can resample them (bootstrap.h).
  [[nodiscard]] std::vector<double> values() const;

 private:
  std::size_t categories_;
  std::vector<std::vector<std::uint64_t>> pairs_by_ratings_;  ///< index: ratings of the unit - 2
};

/// Krippendorff's alpha from a square of coincidences: 1 - (n - 1) Σ o_ck δ_ck / Σ n_c n_k δ_ck over pairs of
/// categories c < k; δ is 1 on the nominal scale and (n_c/2 + the n of all categories between + n_k/2)² on the ordinal
/// one. 1 is full agreement, 0 what chance gives. Nothing when fewer than two ratings can be paired or only one
/// category was used.
[[nodiscard]] std::optional<double> krippendorff_alpha(std::span<const double> coincidences, Scale scale);

}  // namespace memuse::stats
