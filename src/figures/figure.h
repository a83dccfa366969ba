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

struct RadarAxis {
  std::string label;
  bool lower_is_better = false;  ///< said at the axis, and coloured apart in the heatmap
};

/// Percentages on axes around a centre, on a common logarithmic scale with rings from 0.001 to 100 %, a line per
/// series, and beside it the same numbers as a heatmap. 0 stands in the centre, what is below the first ring upon that
/// ring; a missing value breaks the line.
struct RadarChart {
  std::vector<RadarAxis> axes;  ///< clockwise from the top
  std::vector<Series> series;   ///< one value per axis; at most eight can be told apart
};

/// What happens at one place of a lane.
enum class LaneEvent : std::uint8_t {
  delivery,      ///< a tall bar, a little before its place
  restatement,   ///< a short bar, likewise
  created,       ///< a full square
  updated,       ///< an open square
  deleted,       ///< a cross
  mentioned,     ///< a plus: referenced or selected, not acted on
  improved,      ///< a full triangle that points up
  no_effect,     ///< an open circle
  harmed,        ///< a full triangle that points down
  undetermined,  ///< an open diamond
};

/// Lanes below a line of whole numbers (steps, task positions): what lasted, what happened, what led where.
struct LaneChart {
  /// A stretch of a lane, `first <= last`, both included.
  struct Band {
    enum class Kind : std::uint8_t { visible, window };
    Kind kind = Kind::visible;
    double first = 0.0, last = 0.0;
  };
  struct Mark {
    LaneEvent event = LaneEvent::delivery;
    double place = 0.0;
  };
  struct Lane {
    std::string heading;  ///< a line of its own above the lane; empty for none
    std::string label;
    bool follows = false;  ///< belongs to the lane above: no line between them
    std::vector<Band> bands;
    std::vector<Mark> marks;
  };
  /// From lane to lane, or from the line of numbers, at one place.
  struct Arrow {
    std::optional<std::size_t> from;  ///< index of a lane; none: the line of numbers
    std::size_t to = 0;
    double place = 0.0;
  };

  std::string axis_label;
  std::string visible_name, window_name;  ///< what the two kinds of bands are, for the legend
  std::string arrow_name;                 ///< what arrows are, for the legend
  std::uint64_t first = 1, last = 1;
  std::vector<Lane> lanes;
  std::vector<Arrow> arrows;
  std::string end;                 ///< stands at the end of the line; empty for none
  std::vector<std::string> notes;  ///< small print below the lanes
};

/// Two shares of each row on one axis, joined by a line: rows in groups from top to bottom.
struct PairedChart {
  struct Row {
    std::string label;
    std::optional<double> first, second;
    std::string note;  ///< right of the plot
  };
  struct Group {
    std::string name;  ///< empty for none
    std::vector<Row> rows;
  };

  std::string first_name, second_name;
  ValueAxis axis;  ///< zeros have a place of their own left of a logarithmic one
  std::vector<Group> groups;
};

/// Small plots side by side, each with a scale of its own and a row per name: single values as marks, mean and mean ±
/// one standard deviation shaded.
struct SpreadChart {
  struct Row {
    std::vector<std::optional<double>> values;  ///< one per run; of different lengths
    std::optional<double> mean;                 ///< of the values that exist
    std::optional<double> deviation;
  };
  struct Panel {
    std::string title;
    std::vector<Row> rows;                       ///< as `names`
    std::optional<double> least = std::nullopt;  ///< no value can be lower: the shade ends there
  };

  std::vector<std::string> names;
  std::vector<Panel> panels;
};

/// Bars from left to right, each made of the same parts: shares of a count.
struct StackedChart {
  struct Bar {
    std::string name;
    std::vector<std::uint64_t> counts;  ///< one per part; none or all 0: nothing to take shares of
    std::string note;                   ///< right of the bar: `n = 43`
  };

  std::vector<std::string> parts;  ///< at most four
  std::string axis_label;
  std::vector<Bar> bars;
};

/// Kinds of charts. A new kind is a new alternative here and a function `compose` in a file of its own.
using Chart = std::variant<CategoryChart, ScatterChart, RadarChart, LaneChart, PairedChart, SpreadChart, StackedChart>;

enum class Width : std::uint8_t { one_column, two_columns };  ///< 8.4 cm, 17 cm

struct Figure {
  std::string name;     ///< of its files: letters, digits, `-`, `_`, `.`
  std::string caption;  ///< kept in the script; not drawn
  Width width = Width::one_column;
  std::optional<double> height_cm = std::nullopt;  ///< of the plotting area; a fitting one if not given
  Chart chart;
};

}  // namespace memuse::figures
