#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "figures/script.h"

namespace memuse::figures {

/// Names of categories below a plot: wrapped in their slots, or slanted, or upright, whatever keeps them apart.
class CategoryLabels {
 public:
  CategoryLabels(const std::vector<std::string>& names, double left_margin, double right_edge);

  /// Room that the names need left of the plot, at least the margin that was asked for.
  [[nodiscard]] double left_margin() const { return left_margin_; }
  /// Room below the axis.
  [[nodiscard]] double height() const { return height_; }
  /// Every how many categories one is named; more than 1 where there is no room for all.
  [[nodiscard]] std::size_t every() const { return every_; }
  void write(Script& script, const Box& box) const;

 private:
  bool wrap_all(const std::vector<std::string>& names, double slot);
  void slant(const std::vector<std::string>& names, double right_edge);

  double left_margin_;
  double angle_ = 0.0;
  double height_ = 0.0;
  std::size_t every_ = 1;
  std::size_t count_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace memuse::figures
