#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "figures/script.h"
#include "figures/ticks.h"

// What charts have in common around the plotted values: legend, axes with their labels, page.

namespace memuse::figures {

/// The sample beside a name in the legend.
enum class Sample { box, line, marker };

/// A legend above the plot: names in rows and columns that fit the width, cut where one alone is too wide.
class Legend {
 public:
  Legend(const std::vector<std::string>& names, Sample sample, double width);

  /// Points that it takes, 0 when there is at most one name.
  [[nodiscard]] double height() const;
  /// Writes it with its upper edge at `top`.
  void write(Script& script, double left, double top) const;

 private:
  Sample sample_;
  std::vector<std::string> names_;
  std::size_t columns_ = 1;
  double column_width_ = 0.0;
};

/// Room left of the plot for tick labels and label of a vertical axis.
[[nodiscard]] double left_margin(const ScaledAxis& axis, const std::string& label);
/// Room below the plot for those of a horizontal axis of numbers.
[[nodiscard]] double bottom_margin(const std::string& label);

/// Settings and texts of a vertical axis left of `box`, with grid lines.
void write_vertical_axis(Script& script, const ScaledAxis& axis, const std::string& label, const Box& box);
/// Settings and texts of a horizontal axis below `box`, with grid lines.
void write_horizontal_axis(Script& script, const ScaledAxis& axis, const std::string& label, const Box& box);

}  // namespace memuse::figures
