#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/script.h"
#include "figures/text_metrics.h"

// A radar on a logarithmic scale and, beside it, the heatmap of the same numbers, whose rows are the radar's legend.
// Both are drawn in points of the page.

namespace memuse::figures {
namespace {

constexpr double kFirstRing = 0.001;    // percent
constexpr int kDecades = 5;             // from the first ring to 100 %
constexpr double kRadius = 78.0;        // two columns wide
constexpr double kNarrowRadius = 57.0;  // one column wide
constexpr double kInnerRadius = 13.0;   // of the first ring
constexpr double kSideRoom = 56.0;      // for labels left and right of the radar
constexpr double kLabelClear = 6.0;     // from the outer ring to a label
constexpr double kCell = 23.0;
constexpr double kSample = 18.0;  // of a series' line
constexpr std::size_t kLabelLines = 2;
constexpr double kPi = 3.14159265358979323846;

struct Colour {
  double red = 0.0, green = 0.0, blue = 0.0;  // 0…255
};

// Two ramps that also differ in grey: what is better high from white to blue, better low from white to brown.
constexpr Colour kLight{244, 248, 252}, kBlue{8, 48, 107};
constexpr Colour kLightWarm{255, 246, 236}, kBrown{127, 39, 4};

/// Share of the way along the scale, 0 at the first ring and below.
double depth(double percent) {
  if (!(percent > kFirstRing)) return 0.0;
  return std::min(1.0, std::log10(percent / kFirstRing) / kDecades);
}

double linear_light(double channel) {
  const double share = channel / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

/// Is white easier to read on the cell than black (contrast ratio of WCAG 2)?
bool wants_white(double share, bool warm) {
  const Colour& from = warm ? kLightWarm : kLight;
  const Colour& to = warm ? kBrown : kBlue;
  const auto mixed = [share](double a, double b) { return linear_light(std::floor(a + (b - a) * share)); };
  const double luminance =
      0.2126 * mixed(from.red, to.red) + 0.7152 * mixed(from.green, to.green) + 0.0722 * mixed(from.blue, to.blue);
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05;
}

/// Three digits; the print of a cell.
std::string cell_text(const std::optional<double>& percent) {
  if (!percent.has_value()) return "—";
  if (*percent == 0.0) return "0";
  if (*percent < kFirstRing) return "<0.001";
  if (*percent < 0.1) return fmt::format("{:.3f}", *percent);
  if (*percent < 9.995) return fmt::format("{:.2f}", *percent);
  return fmt::format("{:.{}f}", *percent, *percent < 99.95 ? 1 : 0);
}

const char* state_of(const std::optional<double>& percent) {
  if (!percent.has_value()) return "not assessed";
  if (*percent <= 0.0) return "zero";
  return *percent < kFirstRing ? "below" : "value";
}

class Radar {
 public:
  Radar(const Figure& figure, const RadarChart& chart)
      : figure_(figure),
        chart_(chart),
        script_(figure),
        radius_(figure.width == Width::two_columns ? kRadius : kNarrowRadius) {}

  FigureFiles composed() {
    FigureFiles files;
    files.data = data();
    lay_out();
    write_functions();
    write_rings();
    write_axes();
    write_heatmap();
    write_lines();
    write_key();
    files.script = script_.finished();
    return files;
  }

 private:
  [[nodiscard]] std::optional<double> value(std::size_t series, std::size_t axis) const {
    const std::vector<Estimate>& values = chart_.series[series].values;
    if (axis >= values.size() || !values[axis].value.has_value() || !std::isfinite(*values[axis].value)) return {};
    return values[axis].value;
  }

  [[nodiscard]] std::string data() const {
    std::string out = "axis_id,series_id,value,state,axis,series\n";
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      for (std::size_t a = 0; a < chart_.axes.size(); ++a) {
        const std::optional<double> known = value(s, a);
        out += fmt::format("{},{},{},{},{},{}\n", a + 1, s + 1, data_field(known), state_of(known),
                           data_field(chart_.axes[a].label), data_field(chart_.series[s].name));
      }
    }
    return out;
  }

  [[nodiscard]] bool is_assessed(std::size_t axis) const {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      if (value(s, axis).has_value()) return true;
    }
    return false;
  }

  [[nodiscard]] bool has(const char* state) const {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      for (std::size_t a = 0; a < chart_.axes.size(); ++a) {
        if (state_of(value(s, a)) == std::string_view(state)) return true;
      }
    }
    return false;
  }

  void lay_out() {
    const auto rows = static_cast<double>(std::max<std::size_t>(chart_.series.size(), 1));
    const bool beside = figure_.width == Width::two_columns;
    const double width = page_width(figure_.width);
    const double radar_width = 2.0 * (radius_ * 0.866 + kLabelClear + kSideRoom);
    const double radar_height = 2.0 * (radius_ + kLabelClear + 22.0) + key_height();
    row_ = std::clamp(radius_ * 2.0 / rows, 24.0, 27.0);
    head_ = 2.0;
    for (const RadarAxis& axis : chart_.axes) head_ = std::max(head_, head_height(axis));
    const double heat_height = head_ + row_ * rows + 4.0;
    script_.set_page({width, beside ? std::max(radar_height, heat_height) : radar_height + heat_height});
    script_.plot_on_page();
    center_x_ = beside ? 3.0 + radar_width / 2 : width / 2;
    const double radar_middle = beside ? script_.page().height / 2 : script_.page().height - radar_height / 2;
    center_y_ = radar_middle + key_height() / 2;
    cells_.right = width - 3.0;
    cells_.left = cells_.right - kCell * static_cast<double>(chart_.axes.size());
    cells_.top = (beside ? script_.page().height / 2 + heat_height / 2 : heat_height) - head_ - 2.0;
    cells_.bottom = cells_.top - row_ * rows;
    names_left_ = beside ? radar_width + 6.0 : 4.0;
  }

  [[nodiscard]] double key_height() const { return has("zero") || has("below") || has("not assessed") ? 12.0 : 0.0; }

  [[nodiscard]] static std::vector<std::string> head_lines(const RadarAxis& axis) {
    std::vector<std::string> lines = wrap_text(drawable(axis.label), kSmallFontSize, 60.0, 2);
    if (axis.lower_is_better) lines.emplace_back("(lower is better)");
    return lines;
  }

  static double head_height(const RadarAxis& axis) {
    double longest = 0.0;
    for (const std::string& line : head_lines(axis)) longest = std::max(longest, text_width(line, kSmallFontSize));
    return longest + 5.0;
  }

  void write_functions() {
    script_.set(fmt::format("center_x = {}\ncenter_y = {}", number(center_x_), number(center_y_)));
    script_.set(fmt::format("radius = {}\ninner_radius = {}", number(radius_), number(kInnerRadius)));
    script_.set(fmt::format("first_ring = {}\ndecades = {}", number(kFirstRing), number(kDecades)));
    script_.set(fmt::format("axis_count = {}", number(static_cast<double>(chart_.axes.size()))));
    script_.set(
        "depth(v) = v > first_ring ? (v < 100 ? log10(v / first_ring) / decades : 1.0) : 0.0\n"
        "reach(v) = v > 0 ? inner_radius + (radius - inner_radius) * depth(v) : 0.0\n"
        "angle(a) = pi / 2 - 2 * pi * (a - 1) / axis_count\n"
        "x(v) = center_x + reach(v) * cos(angle(column('axis_id')))\n"
        "y(v) = center_y + reach(v) * sin(angle(column('axis_id')))\n"
        "# values of a series; with a state, only those in it\n"
        "of(s) = column('series_id') == s ? field('value') : NaN\n"
        "in(s, state) = strcol('state') eq state ? of(s) : NaN\n"
        "known(s) = of(s) == of(s)\n"
        "shown_x(s, state) = in(s, state) == in(s, state) ? x(in(s, state)) : NaN\n"
        "# where the line to the next axis starts and leads; the last axis leads to the first\n"
        "start_x = NaN\nstart_y = NaN\n"
        "line_x(s) = known(s) ? x(of(s)) : NaN");
  }

  void write_rings() {
    for (int ring = 0; ring <= kDecades; ++ring) {
      const double reach = kInnerRadius + (radius_ - kInnerRadius) * ring / kDecades;
      script_.set(
          fmt::format("set object circle at {},{} size {} back fillstyle empty border linecolor rgb grid_color "
                      "linewidth thin_line_width",
                      number(center_x_), number(center_y_), number(reach)));
    }
    const double direction = kPi / 2 - kPi / static_cast<double>(std::max<std::size_t>(chart_.axes.size(), 1));
    for (int ring = 0; ring <= kDecades; ++ring) {
      const double reach = kInnerRadius + (radius_ - kInnerRadius) * ring / kDecades;
      static constexpr std::array<const char*, kDecades + 1> kLabels{"0.001", "0.01", "0.1", "1", "10", "100 %"};
      script_.text(kLabels[static_cast<std::size_t>(ring)], center_x_ + reach * std::cos(direction),
                   center_y_ + reach * std::sin(direction), {Anchor::center, 0.0, true, true, false, true});
    }
  }

  void write_axes() {
    const auto count = static_cast<double>(std::max<std::size_t>(chart_.axes.size(), 1));
    for (std::size_t a = 0; a < chart_.axes.size(); ++a) {
      const double angle = kPi / 2 - 2.0 * kPi * static_cast<double>(a) / count;
      const bool assessed = is_assessed(a);
      script_.stroke(center_x_, center_y_, center_x_ + radius_ * std::cos(angle), center_y_ + radius_ * std::sin(angle),
                     fmt::format("back linetype -1 linecolor rgb grid_color linewidth thin_line_width{}",
                                 assessed ? "" : " dashtype (3,3)"));
      write_axis_label(a, angle, assessed);
    }
  }

  void write_axis_label(std::size_t axis, double angle, bool assessed) {
    const bool upright = std::abs(std::cos(angle)) < 0.2;
    const double room = upright ? 120.0 : kSideRoom;
    std::vector<std::string> lines = wrap_text(drawable(chart_.axes[axis].label), kFontSize, room, kLabelLines);
    const auto add = [&](const char* text) {
      for (std::string& line : wrap_text(text, kFontSize, room, 2)) lines.push_back(std::move(line));
    };
    if (chart_.axes[axis].lower_is_better) add("(lower is better)");
    if (!assessed) add("(not assessed)");
    const double half = static_cast<double>(lines.size()) / 2 * line_height(kFontSize);
    const double clear = radius_ + kLabelClear;
    const Anchor anchor = upright ? Anchor::center : std::cos(angle) > 0 ? Anchor::left : Anchor::right;
    const double up = upright ? (std::sin(angle) > 0 ? half - 1.0 : 1.0 - half) : 0.0;
    script_.text(lines, center_x_ + clear * std::cos(angle), center_y_ + clear * std::sin(angle) + up,
                 {anchor, 0.0, false, !assessed});
  }

  void write_heatmap() {
    for (std::size_t a = 0; a < chart_.axes.size(); ++a) {
      const double x = cells_.left + (static_cast<double>(a) + 0.5) * kCell;
      script_.text(head_lines(chart_.axes[a]), x, cells_.top + 3.0, {Anchor::left, 90.0, true});
    }
    const auto ramp = [](const char* name, const Colour& from, const Colour& to) {
      const auto channel = [](double a, double b) { return fmt::format("int({} + {} * t)", number(a), number(b - a)); };
      return fmt::format("{}(t) = {} * 65536 + {} * 256 + {}", name, channel(from.red, to.red),
                         channel(from.green, to.green), channel(from.blue, to.blue));
    };
    script_.set("# heatmap");
    script_.set(ramp("higher_is_better", kLight, kBlue));
    script_.set(ramp("lower_is_better", kLightWarm, kBrown));
    std::string warm;
    for (std::size_t a = 0; a < chart_.axes.size(); ++a) {
      if (chart_.axes[a].lower_is_better) warm += fmt::format(" || column('axis_id') == {}", a + 1);
    }
    script_.set(fmt::format("is_warm(x) = 0{}", warm));
    script_.set("colour(v) = is_warm(0) ? lower_is_better(depth(v)) : higher_is_better(depth(v))");
    script_.set(fmt::format("cell_x(x) = {} + (column('axis_id') - 0.5) * {}", number(cells_.left), number(kCell)));
    script_.set(fmt::format("cell_y(x) = {} - (column('series_id') - 0.5) * {}", number(cells_.top), number(row_)));
    if (!chart_.series.empty() && !chart_.axes.empty()) {
      script_.plot(fmt::format(
          "data using (strcol('value') eq '' ? NaN : cell_x(0)):(cell_y(0)):({}):({}):(colour(field('value')))"
          " with boxxyerror fillstyle solid noborder fillcolor rgb variable",
          number(kCell / 2 - 0.4), number(row_ / 2 - 0.4)));
    }
    for (std::size_t s = 0; s < chart_.series.size(); ++s) write_heatmap_row(s);
  }

  void write_heatmap_row(std::size_t series) {
    const double y = cells_.top - (static_cast<double>(series) + 0.5) * row_;
    script_.stroke(names_left_, y, names_left_ + kSample, y, fmt::format("linetype {}", series + 1));
    script_.set(fmt::format("set label '' at {} point linetype {} pointsize marker_size front",
                            script_.place(names_left_ + kSample / 2, y), series + 1));
    const double room = cells_.left - names_left_ - kSample - 7.0;
    write_name(series, names_left_ + kSample + 3.0, y, room);
    for (std::size_t a = 0; a < chart_.axes.size(); ++a) {
      const std::optional<double> known = value(series, a);
      const bool white = known.has_value() && wants_white(depth(*known), chart_.axes[a].lower_is_better);
      script_.text(cell_text(known), cells_.left + (static_cast<double>(a) + 0.5) * kCell, y,
                   {Anchor::center, 0.0, true, !known.has_value(), white});
    }
  }

  /// In the small font where the name would be cut otherwise.
  void write_name(std::size_t series, double x, double y, double room) {
    const std::string name = drawable(chart_.series[series].name);
    const std::vector<std::string> lines = wrap_text(name, kFontSize, room, 2);
    const bool whole = words_fit(name, kFontSize, room) && (lines.empty() || !lines.back().ends_with("…"));
    script_.text(whole ? lines : wrap_text(name, kSmallFontSize, room, 3), x, y, {Anchor::left, 0.0, !whole});
  }

  void write_lines() {
    const std::size_t last = chart_.axes.size();
    for (std::size_t s = 1; s <= chart_.series.size() && last > 0; ++s) {
      script_.plot(fmt::format("data using (line_x({0})):(y(of({0}))) with lines linetype {0}", s));
      if (value(s - 1, 0).has_value() && value(s - 1, last - 1).has_value() && last > 2) {
        script_.plot(
            fmt::format("data using (column('axis_id') == 1 && known({0}) ? (start_x = x(of({0})), start_y = "
                        "y(of({0})), NaN) : column('axis_id') == {1} ? line_x({0}) : NaN):(y(of({0}))):"
                        "(start_x - x(of({0}))):(start_y - y(of({0}))) with vectors nohead linetype {0}",
                        s, last));
      }
    }
    // Marks lie upon all lines.
    for (std::size_t s = 1; s <= chart_.series.size() && last > 0; ++s) {
      const auto marks = [&](const char* state, const char* style) {
        for (std::size_t a = 0; a < last; ++a) {
          if (state_of(value(s - 1, a)) != std::string_view(state)) continue;
          script_.plot(fmt::format("data using (shown_x({0}, '{1}')):(y(of({0}))) with points linetype {0}{2}", s,
                                   state, style));
          return;
        }
      };
      marks("value", "");
      marks("below", " pointtype 10 pointsize marker_size * 1.3");
      marks("zero", " pointtype 6 pointsize marker_size * 1.3");
    }
    if (chart_.series.empty() || last == 0) script_.plot("NaN");
  }

  /// What the open marks and the breaks in lines mean.
  void write_key() {
    if (key_height() == 0.0) return;
    std::vector<std::pair<std::string, int>> parts;
    if (has("zero")) parts.emplace_back("zero", 6);
    if (has("below")) parts.emplace_back("below 0.001 %", 10);
    if (has("not assessed")) parts.emplace_back("line broken: not assessed", 0);
    double width = -10.0;
    for (const auto& [text, type] : parts) width += text_width(text, kSmallFontSize) + (type > 0 ? 8.0 : 0.0) + 10.0;
    double x = std::max(2.0, center_x_ - width / 2);
    const double y = figure_.width == Width::two_columns ? 6.0 : cells_.top + head_ + 10.0;
    for (const auto& [text, type] : parts) {
      if (type > 0) {
        script_.set(
            fmt::format("set label '' at {} point pointtype {} pointsize marker_size * 1.3 linecolor rgb "
                        "quiet_color front",
                        script_.place(x + 2.5, y), type));
        x += 8.0;
      }
      script_.text(text, x, y, {Anchor::left, 0.0, true, true});
      x += text_width(text, kSmallFontSize) + 10.0;
    }
  }

  const Figure& figure_;
  const RadarChart& chart_;
  Script script_;
  double radius_;
  double center_x_ = 0.0, center_y_ = 0.0;
  Box cells_;
  double row_ = 0.0;
  double head_ = 0.0;
  double names_left_ = 0.0;
};

}  // namespace

FigureFiles compose_radar(const Figure& figure, const RadarChart& chart) {
  return Radar(figure, chart).composed();
}

}  // namespace memuse::figures
