#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Charts as plain values. What is written of them: figures/figure_files.h; drawn: figures/draw.h. Texts may be
// anything: they are drawn as they stand, never interpreted; control characters become visible escapes.

namespace memuse::figures {

using Interval = std::pair<double, double>;

/// One drawn number, in the unit that the axis prints. Missing or not finite: a gap, never 0.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> interval;
  std::string note;  ///< `n = 20`: above a bar, right of a dot; for lines in the data file only
};

/// A line, a colour: one estimate per category.
struct Series {
  std::string name;
  std::vector<Estimate> values;
};

enum class Scale : std::uint8_t { linear, log };

/// An axis of numbers. The bounds are the least that is shown: it grows to hold all that is drawn.
struct ValueAxis {
  std::string label;
  Scale scale = Scale::linear;
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
};

/// Numbers over ordered categories: grouped bars, a line per series (a ladder), or a forest plot with the categories
/// from top to bottom and the values from left to right.
struct CategoryChart {
  enum class Mark : std::uint8_t { bars, lines, dots };

  Mark mark = Mark::bars;
  std::vector<std::string> categories;
  std::string category_label;  ///< empty for none; not drawn for dots
  std::vector<Series> series;
  ValueAxis axis;
  std::optional<double> reference = std::nullopt;  ///< a thin line at this value
};

struct ScatterPoint {
  std::string label;  ///< empty for none
  std::string group;  ///< points of a group share colour and marker; groups are listed in order of first appearance
  double x = 0.0;
  double y = 0.0;
  std::optional<Interval> x_interval = std::nullopt;
  std::optional<Interval> y_interval = std::nullopt;
};

struct ScatterChart {
  ValueAxis x;
  ValueAxis y;
  std::vector<ScatterPoint> points;
  /// Drawn as steps through these places, in this order (figures/pareto.h); empty for none.
  std::vector<std::pair<double, double>> front;
};

/// Kinds of charts. A new kind is a new alternative here and a function `compose` in a file of its own.
using Chart = std::variant<CategoryChart, ScatterChart>;

enum class Width : std::uint8_t { one_column, two_columns };  ///< 8.4 cm, 17 cm

struct Figure {
  std::string name;     ///< of its files: letters, digits, `-`, `_`, `.`
  std::string caption;  ///< kept in the script; not drawn
  Width width = Width::one_column;
  std::optional<double> height_cm = std::nullopt;  ///< of the plotting area; a fitting one if not given
  Chart chart;
};

}  // namespace memuse::figures
