#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/label_placement.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"
#include "model/text.h"

// Points with names that do not cover each other, and the steps of a front.

namespace memuse::figures {
namespace {

constexpr double kMarkerRadius = 3.2;
constexpr double kLongestLabel = 110.0;
constexpr std::size_t kMostLabels = 300;  // each costs time for all points

class Scatter {
 public:
  Scatter(const Figure& figure, const ScatterChart& chart) : figure_(figure), chart_(chart), script_(figure) {
    for (const ScatterPoint& point : chart_.points) {
      if (std::find(groups_.begin(), groups_.end(), point.group) == groups_.end()) groups_.push_back(point.group);
    }
  }

  FigureFiles composed() {
    FigureFiles files;
    files.data = data();
    scale();
    lay_out();
    write_axes();
    write_labels(files.remarks);
    write_front();
    write_plots();
    files.script = script_.finished();
    const auto hidden = std::count_if(chart_.points.begin(), chart_.points.end(),
                                      [this](const ScatterPoint& point) { return !is_drawn(point); });
    if (hidden > 0) {
      files.remarks.push_back(
          fmt::format("{} of {} points can not be drawn: a number is missing, or not above 0 on a "
                      "logarithmic axis",
                      hidden, chart_.points.size()));
    }
    return files;
  }

 private:
  [[nodiscard]] std::size_t group_id(const ScatterPoint& point) const {
    return static_cast<std::size_t>(std::find(groups_.begin(), groups_.end(), point.group) - groups_.begin()) + 1;
  }

  [[nodiscard]] std::string data() const {
    std::string out = "group_id,x,y,x_low,x_high,y_low,y_high,label,group\n";
    for (const ScatterPoint& point : chart_.points) {
      const auto bound = [](const std::optional<Interval>& interval, bool low) -> std::optional<double> {
        if (!interval.has_value()) return std::nullopt;
        return low ? interval->first : interval->second;
      };
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", group_id(point), data_field(point.x), data_field(point.y),
                         data_field(bound(point.x_interval, true)), data_field(bound(point.x_interval, false)),
                         data_field(bound(point.y_interval, true)), data_field(bound(point.y_interval, false)),
                         data_field(point.label), data_field(point.group));
    }
    return out;
  }

  void scale() {
    std::vector<double> xs;
    std::vector<double> ys;
    for (const ScatterPoint& point : chart_.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      xs.push_back(point.x);
      ys.push_back(point.y);
      if (point.x_interval.has_value()) xs.insert(xs.end(), {point.x_interval->first, point.x_interval->second});
      if (point.y_interval.has_value()) ys.insert(ys.end(), {point.y_interval->first, point.y_interval->second});
    }
    for (const auto& [x, y] : chart_.front) {
      xs.push_back(x);
      ys.push_back(y);
    }
    x_ = scale_axis(chart_.x, xs, figure_.width == Width::one_column ? 5 : 8);
    y_ = scale_axis(chart_.y, ys, 6);
  }

  void lay_out() {
    const double width = page_width(figure_.width);
    const Legend legend(groups_, Sample::marker, width - 8.0);
    box_.left = std::max(left_margin(y_, chart_.y.label), x_.label_width(kFontSize) / 2 + 2.0);
    box_.right = width - std::max(6.0, x_.label_width(kFontSize) / 2 + 1.0);
    box_.bottom = bottom_margin(chart_.x.label);
    box_.top = box_.bottom + figure_.height_cm.value_or(figure_.width == Width::one_column ? 5.0 : 7.0) * 72.0 / 2.54;
    script_.set_page({width, box_.top + legend.height() + 6.0});
    script_.set_plot_area(box_);
    legend.write(script_, 4.0, script_.page().height - 1.0);
  }

  void write_axes() {
    write_vertical_axis(script_, y_, chart_.y.label, box_);
    write_horizontal_axis(script_, x_, chart_.x.label, box_);
    script_.set("set errorbars 0.4");
    script_.set("x(g) = column('group_id') == g ? column('x') : NaN");
    script_.set("y(g) = column('group_id') == g ? column('y') : NaN");
  }

  [[nodiscard]] bool is_drawn(const ScatterPoint& point) const { return x_.holds(point.x) && y_.holds(point.y); }

  [[nodiscard]] Spot spot(double x, double y) const {
    return {box_.left + x_.fraction(x) * box_.width(), box_.bottom + y_.fraction(y) * box_.height()};
  }

  void write_labels(std::vector<std::string>& remarks) {
    std::vector<Spot> spots;
    std::vector<LabelSize> sizes;
    std::vector<std::string> texts;
    for (const ScatterPoint& point : chart_.points) {
      if (!is_drawn(point)) continue;
      spots.push_back(spot(point.x, point.y));
      const bool shown = spots.size() <= kMostLabels && !point.label.empty();
      texts.push_back(shown ? fit_text(printable(point.label), kSmallFontSize, kLongestLabel) : std::string());
      const double width = text_width(texts.back(), kSmallFontSize);
      sizes.push_back({width > 0.0 ? width + 1.0 : 0.0, kSmallFontSize + 0.5});
    }
    const std::vector<std::optional<Box>> places = place_labels(spots, sizes, kMarkerRadius, box_);
    std::size_t unplaced = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].has_value()) {
        write_label(texts[i], *places[i], spots[i]);
      } else if (sizes[i].width > 0.0 || i >= kMostLabels) {
        ++unplaced;
      }
    }
    if (unplaced > 0) {
      remarks.push_back(
          fmt::format("{} of {} points have no label in the picture: there is no room; the data file has all", unplaced,
                      chart_.points.size()));
    }
  }

  void write_label(const std::string& text, const Box& place, const Spot& point) {
    script_.text(text, (place.left + place.right) / 2, (place.bottom + place.top) / 2, {Anchor::center, 0.0, true});
    const double x = std::clamp(point.x, place.left, place.right);
    const double y = std::clamp(point.y, place.bottom, place.top);
    // A label that stands off gets a line to its point.
    if (std::hypot(x - point.x, y - point.y) > kMarkerRadius + 4.0) {
      script_.stroke(point.x, point.y, x, y, "back linetype -1 linecolor rgb quiet_color linewidth thin_line_width");
    }
  }

  void write_front() {
    std::string block;
    for (const auto& [x, y] : chart_.front) {
      if (x_.holds(x) && y_.holds(y)) block += fmt::format("{},{}\n", number(x), number(y));
    }
    if (block.empty()) return;
    script_.set("$front << END_OF_FRONT\nx,y\n" + block + "END_OF_FRONT");
    script_.plot(
        "$front using (column('x')):(column('y')) with steps linetype -1 linecolor rgb quiet_color "
        "linewidth thin_line_width * 2 dashtype (4,3)");
  }

  void write_plots() {
    bool any = false;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      bool drawn = false;
      bool x_bounded = false;
      bool y_bounded = false;
      for (const ScatterPoint& point : chart_.points) {
        if (!is_drawn(point) || point.group != groups_[g]) continue;
        drawn = true;
        x_bounded = x_bounded || point.x_interval.has_value();
        y_bounded = y_bounded || point.y_interval.has_value();
      }
      if (!drawn) continue;
      any = true;
      if (x_bounded) script_.plot(interval_plot(g + 1, 'x'));
      if (y_bounded) script_.plot(interval_plot(g + 1, 'y'));
      script_.plot(
          fmt::format("data using (x({0})):(y({0})) with points linetype {0} pointsize marker_size * 1.3", g + 1));
    }
    if (!any) script_.plot("NaN");
  }

  static std::string interval_plot(std::size_t id, char axis) {
    return fmt::format(
        "data using (x({0})):(y({0})):(column('{1}_low')):(column('{1}_high')) with {1}errorbars linetype {0} "
        "linewidth thin_line_width dashtype 1 pointsize 0",
        id, axis);
  }

  const Figure& figure_;
  const ScatterChart& chart_;
  Script script_;
  std::vector<std::string> groups_;
  ScaledAxis x_;
  ScaledAxis y_;
  Box box_;
};

}  // namespace

FigureFiles compose_scatter(const Figure& figure, const ScatterChart& chart) {
  return Scatter(figure, chart).composed();
}

}  // namespace memuse::figures
