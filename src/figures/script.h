#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "figures/figure.h"

// A gnuplot script in the making. Places are points (1/72 inch) from the lower left corner of the page, so that all
// formats have the same layout. Texts reach the script through `gnuplot_text` alone.

namespace memuse::figures {

/// A text as a gnuplot string expression: between single quotes, where gnuplot substitutes nothing, with control
/// characters and line feeds as visible escapes; quotes at its start or in a row stand apart.
[[nodiscard]] std::string gnuplot_text(std::string_view text);
/// Lines of one drawn text, as a gnuplot expression.
[[nodiscard]] std::string gnuplot_lines(const std::vector<std::string>& lines);
/// A number as a gnuplot literal, always with a decimal point or an exponent (gnuplot divides whole numbers as such).
[[nodiscard]] std::string number(double value);

struct Size {
  double width = 0.0;
  double height = 0.0;
};

struct Box {
  double left = 0.0;
  double right = 0.0;
  double bottom = 0.0;
  double top = 0.0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return top - bottom; }
};

/// Font sizes in points, of a figure that is printed as large as it is.
inline constexpr double kFontSize = 8.0;
inline constexpr double kSmallFontSize = 6.5;

[[nodiscard]] double page_width(Width width);

enum class Anchor { left, center, right };

/// How a text stands at its place.
struct TextPlacement {
  Anchor anchor = Anchor::left;
  double angle = 0.0;  ///< degrees, counter-clockwise
  bool small = false;  ///< in the small font
  bool grey = false;
  bool white = false;   ///< on a dark ground
  bool backed = false;  ///< on a white ground of its own
};

/// Collects the parts of a script and puts them in order.
class Script {
 public:
  explicit Script(const Figure& figure) : figure_(figure) {}

  void set_page(Size page) { page_ = page; }
  [[nodiscard]] Size page() const { return page_; }
  /// A line of settings, in the order of the calls.
  void set(std::string line) { settings_.push_back(std::move(line)); }
  /// `lines` centred in height at a place on the page.
  void text(const std::vector<std::string>& lines, double x, double y, const TextPlacement& placement);
  void text(const std::string& line, double x, double y, const TextPlacement& placement) {
    text(std::vector<std::string>{line}, x, y, placement);
  }
  /// A line from place to place, in the style that `style` names.
  void stroke(double x, double y, double to_x, double to_y, const std::string& style);
  /// One element of the plot command.
  void plot(std::string element) { plots_.push_back(std::move(element)); }
  /// The area that the axes enclose.
  void set_plot_area(const Box& box);
  /// Makes the page the plot area and points its coordinates, for charts that have no axes of gnuplot's.
  void plot_on_page();
  /// `screen X, screen Y` of a place.
  [[nodiscard]] std::string place(double x, double y) const;

  [[nodiscard]] std::string finished() const;

 private:
  const Figure& figure_;
  Size page_;
  bool backed_ = false;  ///< is there a text on a ground of its own?
  std::vector<std::string> settings_;
  std::vector<std::string> plots_;
};

}  // namespace memuse::figures
