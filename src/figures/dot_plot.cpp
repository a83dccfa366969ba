#include <fmt/format.h>

#include <algorithm>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"
#include "model/text.h"

// A forest plot: a row per category, in it a marker with its interval per series, notes in a column at the right.

namespace memuse::figures {
namespace {

constexpr double kSeriesHeight = 9.0;
constexpr double kRowGap = 6.0;
constexpr std::size_t kNameLines = 2;

class DotPlot {
 public:
  DotPlot(const Figure& figure, const CategoryChart& chart) : figure_(figure), chart_(chart), script_(figure) {}

  FigureFiles composed() {
    FigureFiles files;
    files.data = category_data(chart_);
    std::vector<double> values = all_values(chart_);
    if (chart_.reference.has_value()) values.push_back(*chart_.reference);
    axis_ = scale_axis(chart_.axis, values, figure_.width == Width::one_column ? 5 : 8);
    if (auto remark = left_out_by(axis_, all_values(chart_))) files.remarks.push_back(*remark);
    lay_out();
    write_axes();
    write_rows();
    write_plots();
    files.script = script_.finished();
    return files;
  }

 private:
  void lay_out() {
    const double width = page_width(figure_.width);
    const double name_room = width * (figure_.width == Width::one_column ? 0.36 : 0.30);
    double name_width = 0.0;
    std::size_t lines = 1;
    for (const std::string& category : chart_.categories) {
      names_.push_back(wrap_text(printable(category), kFontSize, name_room, kNameLines));
      lines = std::max(lines, names_.back().size());
      for (const std::string& line : names_.back()) name_width = std::max(name_width, text_width(line, kFontSize));
    }
    const auto series = static_cast<double>(std::max<std::size_t>(chart_.series.size(), 1));
    const auto rows = static_cast<double>(std::max<std::size_t>(chart_.categories.size(), 1));
    const double least =
        std::max(series * kSeriesHeight, static_cast<double>(lines) * line_height(kFontSize)) + kRowGap;
    row_ = figure_.height_cm.has_value() ? *figure_.height_cm * 72.0 / 2.54 / rows : least;
    step_ = (row_ - kRowGap) / row_ / series;
    const Legend legend(series_names(chart_), Sample::marker, width - 8.0);
    box_.left = std::max(name_width + 8.0, axis_.label_width(kFontSize) / 2 + 2.0);
    box_.right = width - std::max(note_width(width * 0.3) + 6.0, axis_.label_width(kFontSize) / 2 + 2.0);
    box_.bottom = bottom_margin(chart_.axis.label);
    box_.top = box_.bottom + row_ * rows;
    script_.set_page({width, box_.top + legend.height() + 4.0});
    script_.set_plot_area(box_);
    legend.write(script_, 4.0, script_.page().height - 1.0);
  }

  [[nodiscard]] double note_width(double most) const {
    double widest = 0.0;
    for (const Series& series : chart_.series) {
      for (const Estimate& estimate : series.values) {
        widest = std::max(widest, text_width(printable(estimate.note), kSmallFontSize));
      }
    }
    return std::min(widest, most);
  }

  [[nodiscard]] double y_of(double row) const { return box_.top - row * row_; }

  void write_rows() {
    for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
      const double middle = static_cast<double>(c) + 0.5;
      script_.text(names_[c], box_.left - 5.0, y_of(middle), {Anchor::right});
      if (c > 0) {
        script_.stroke(4.0, y_of(static_cast<double>(c)), box_.right, y_of(static_cast<double>(c)),
                       "back linetype -1 linecolor rgb grid_color linewidth thin_line_width");
      }
      for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Estimate estimate = estimate_of(chart_, s, c);
        const double y =
            y_of(middle + (static_cast<double>(s) - (static_cast<double>(chart_.series.size()) - 1) / 2) * step_);
        const double room = script_.page().width - box_.right - 4.0;
        if (!estimate.note.empty()) {
          script_.text(fit_text(printable(estimate.note), kSmallFontSize, room), box_.right + 4.0, y,
                       {Anchor::left, 0.0, true});
        }
      }
    }
  }

  void write_axes() {
    const auto rows = static_cast<double>(std::max<std::size_t>(chart_.categories.size(), 1));
    script_.set("set border 1");
    script_.set(fmt::format("set yrange [{}:0.5]", number(rows + 0.5)));
    script_.set("unset ytics");
    write_horizontal_axis(script_, axis_, chart_.axis.label, box_);
    if (chart_.reference.has_value() && axis_.holds(*chart_.reference)) {
      script_.set(
          fmt::format("set arrow from first {0}, graph 0 to first {0}, graph 1 nohead linetype -1 linecolor rgb "
                      "quiet_color dashtype (3,3) linewidth thin_line_width * 1.5",
                      number(*chart_.reference)));
    }
    script_.set(fmt::format("series_count = {}", chart_.series.size()));
    script_.set(fmt::format("series_step = {:.5f}", step_));
    script_.set("set errorbars 0.4");
    script_.set("offset(s) = (s - (series_count + 1) / 2.0) * series_step");
    script_.set("x(s) = column('series_id') == s ? column('value') : NaN");
    script_.set("y(s) = column('series_id') == s ? column('category_id') + offset(s) : NaN");
  }

  void write_plots() {
    bool any = false;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      if (!has_values(chart_, s, axis_)) continue;
      any = true;
      const std::size_t id = s + 1;
      if (has_intervals(chart_, s, axis_)) {
        script_.plot(
            fmt::format("data using (x({0})):(y({0})):(column('low')):(column('high')) with xerrorbars "
                        "linetype {0} linewidth thin_line_width * 1.8 dashtype 1 pointsize 0",
                        id));
      }
      script_.plot(
          fmt::format("data using (x({0})):(y({0})) with points linetype {0} pointsize marker_size * 1.2", id));
    }
    if (!any) script_.plot("NaN");
  }

  const Figure& figure_;
  const CategoryChart& chart_;
  Script script_;
  ScaledAxis axis_;
  Box box_;
  double row_ = 0.0;   // points per category
  double step_ = 0.0;  // categories per series
  std::vector<std::vector<std::string>> names_;
};

}  // namespace

FigureFiles compose_dots(const Figure& figure, const CategoryChart& chart) {
  return DotPlot(figure, chart).composed();
}

}  // namespace memuse::figures
