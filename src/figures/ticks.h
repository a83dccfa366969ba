#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "figures/figure.h"

namespace memuse::figures {

struct Tick {
  double place = 0.0;
  std::string label;  ///< empty for a minor tick
};

/// An axis with its bounds and ticks settled.
struct ScaledAxis {
  Scale scale = Scale::linear;
  double low = 0.0;
  double high = 1.0;
  std::vector<Tick> ticks;

  /// 0 at `low`, 1 at `high`, also outside them.
  [[nodiscard]] double fraction(double value) const;
  /// Can `value` be drawn? Not finite numbers can not, nor 0 and less on a log scale.
  [[nodiscard]] bool holds(double value) const;
  /// Width in points of the widest label.
  [[nodiscard]] double label_width(double font_size) const;
};

/// The axis for `values`, with about `most` ticks at 1, 2 or 5 times a power of ten; bounds that the axis does not
/// give are the outermost ticks.
[[nodiscard]] ScaledAxis scale_axis(const ValueAxis& axis, const std::vector<double>& values, std::size_t most);

}  // namespace memuse::figures
