#pragma once

#include <string>
#include <vector>

#include "figures/figure.h"

namespace memuse::figures {

/// What a figure is drawn from: the data with full precision and a script that reads them.
struct FigureFiles {
  std::string data;    ///< NAME.csv: one header line; ids count from 1; a missing number is an empty field
  std::string script;  ///< NAME.gp
  /// What of the data the picture does not show (values that a log axis can not hold, labels without room); whole
  /// sentences for people.
  std::vector<std::string> remarks;
};

/// Pure: the same figure gives the same bytes. Throws Error(usage) when the figure's name is no plain file name.
[[nodiscard]] FigureFiles compose(const Figure& figure);

/// The parts of `compose`, one per kind of chart. They do not look at the name.
[[nodiscard]] FigureFiles compose_vertical(const Figure& figure, const CategoryChart& chart);  // bars and lines
[[nodiscard]] FigureFiles compose_dots(const Figure& figure, const CategoryChart& chart);
[[nodiscard]] FigureFiles compose_scatter(const Figure& figure, const ScatterChart& chart);
[[nodiscard]] FigureFiles compose_radar(const Figure& figure, const RadarChart& chart);
[[nodiscard]] FigureFiles compose_lanes(const Figure& figure, const LaneChart& chart);
[[nodiscard]] FigureFiles compose_paired(const Figure& figure, const PairedChart& chart);
[[nodiscard]] FigureFiles compose_spread(const Figure& figure, const SpreadChart& chart);
[[nodiscard]] FigureFiles compose_stacked(const Figure& figure, const StackedChart& chart);

}  // namespace memuse::figures
