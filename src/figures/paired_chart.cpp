#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"

// Two marks a row, joined: an open square for the first value, a full circle for the second.

namespace memuse::figures {
namespace {

constexpr double kPairRow = 11.5;
constexpr double kPairLegend = 15.0;
constexpr double kGutter = 0.09;  // share of a logarithmic axis that is kept for zeros

constexpr const char* kFirstMark = "pointtype 4 pointsize marker_size * 1.7 linecolor rgb first_color";
constexpr const char* kSecondMark = "pointtype 7 pointsize marker_size * 1.2 linecolor rgb second_color";

class PairedPlot {
 public:
  PairedPlot(const Figure& figure, const PairedChart& chart) : figure_(figure), chart_(chart), script_(figure) {
    for (const PairedChart::Group& group : chart_.groups) {
      if (!group.name.empty()) ++rows_;
      for (const PairedChart::Row& row : group.rows) {
        rows_of_.push_back({&group, &row, ++rows_});
      }
    }
  }

  FigureFiles composed() {
    FigureFiles files;
    files.data = data();
    scale();
    lay_out();
    write_axis();
    write_rows();
    write_legend();
    write_plots();
    files.script = script_.finished();
    return files;
  }

 private:
  struct PlacedRow {
    const PairedChart::Group* group;
    const PairedChart::Row* row;
    std::size_t place;
  };

  [[nodiscard]] std::string data() const {
    std::string out = "row,first,second,note,label,group\n";
    for (const PlacedRow& each : rows_of_) {
      out += fmt::format("{},{},{},{},{},{}\n", each.place, data_field(each.row->first), data_field(each.row->second),
                         data_field(each.row->note), data_field(each.row->label), data_field(each.group->name));
    }
    return out;
  }

  void scale() {
    std::vector<double> values;
    for (const PlacedRow& each : rows_of_) {
      for (const std::optional<double>& value : {each.row->first, each.row->second}) {
        if (value.has_value()) values.push_back(*value);
      }
    }
    axis_ = scale_axis(chart_.axis, values, figure_.width == Width::one_column ? 5 : 8);
    const bool zeros = std::any_of(values.begin(), values.end(), [](double value) { return value == 0.0; });
    if (axis_.scale != Scale::log || !zeros) return;
    const double decades = std::log10(axis_.high / axis_.low);
    gutter_end_ = axis_.low;
    zero_ = axis_.low * std::pow(10.0, -kGutter / 2 * decades);
    axis_.low *= std::pow(10.0, -kGutter * decades);
    axis_.ticks.insert(axis_.ticks.begin(), {*zero_, "0"});
  }

  void lay_out() {
    const double width = page_width(figure_.width);
    double names = 0.0;
    double notes = 0.0;
    for (const PlacedRow& each : rows_of_) {
      names = std::max(names, text_width(drawable(each.row->label), kSmallFontSize));
      notes = std::max(notes, text_width(drawable(each.row->note), kSmallFontSize));
    }
    label_room_ = std::min(names, width * 0.34);
    note_room_ = std::min(notes, width * 0.25);
    box_.left = std::max(label_room_ + 10.0, 14.0);
    box_.right = width - std::max(note_room_ + 9.0, axis_.label_width(kFontSize) / 2 + 3.0);
    box_.bottom = bottom_margin(chart_.axis.label);
    box_.top = box_.bottom + kPairRow * static_cast<double>(std::max<std::size_t>(rows_, 1));
    script_.set_page({width, box_.top + kPairLegend + 3.0});
    script_.set_plot_area(box_);
  }

  void write_axis() {
    script_.set("first_color = '#404040'\nsecond_color = '#0072B2'");
    script_.set("set border 1");
    script_.set(fmt::format("set yrange [{}:0.5]", number(static_cast<double>(std::max<std::size_t>(rows_, 1)) + 0.5)));
    script_.set("unset ytics");
    write_horizontal_axis(script_, axis_, chart_.axis.label, box_);
    if (zero_.has_value()) {
      script_.set(
          fmt::format("set arrow from first {0}, graph 0 to first {0}, graph 1 nohead linetype -1 linecolor rgb "
                      "quiet_color dashtype (3,3) linewidth thin_line_width",
                      number(gutter_end_)));
    }
    script_.set("# zeros have a place of their own on a logarithmic axis");
    script_.set(fmt::format("x(name) = strcol(name) eq '0' ? {} : field(name)", number(zero_.value_or(0.0))));
  }

  [[nodiscard]] double y_of(std::size_t row) const { return box_.top - (static_cast<double>(row) - 0.5) * kPairRow; }

  void write_rows() {
    const PairedChart::Group* group = nullptr;
    for (const PlacedRow& each : rows_of_) {
      if (each.group != group) {
        group = each.group;
        write_heading(*group, each.place);
      }
      script_.text(fit_text(drawable(each.row->label), kSmallFontSize, label_room_ + 0.5), box_.left - 6.0,
                   y_of(each.place), {Anchor::right, 0.0, true});
      script_.text(fit_text(drawable(each.row->note), kSmallFontSize, note_room_ + 0.5), box_.right + 6.0,
                   y_of(each.place), {Anchor::left, 0.0, true});
    }
  }

  void write_heading(const PairedChart::Group& group, std::size_t first_row) {
    if (group.name.empty()) return;
    const double y = y_of(first_row - 1);
    script_.text(fit_text(drawable(group.name), kFontSize, script_.page().width - 8.0), 4.0, y,
                 {Anchor::left, 0.0, false, false, false, true});
    if (first_row > 2) {
      script_.stroke(4.0, y + kPairRow / 2, box_.right, y + kPairRow / 2,
                     "back linetype -1 linecolor rgb grid_color linewidth thin_line_width");
    }
  }

  void write_legend() {
    const double y = script_.page().height - 8.0;
    double x = 4.0;
    const auto entry = [&](const std::string& name, const char* mark) {
      const std::string text = fit_text(drawable(name), kFontSize, script_.page().width / 2 - 16.0);
      script_.set(fmt::format("set label '' at {} point {} front", script_.place(x + 4.0, y), mark));
      script_.text(text, x + 10.0, y, {});
      x += 10.0 + text_width(text, kFontSize) + 10.0;
    };
    entry(chart_.first_name, kFirstMark);
    entry(chart_.second_name, kSecondMark);
  }

  void write_plots() {
    if (rows_of_.empty()) {
      script_.plot("NaN");
      return;
    }
    script_.plot(
        "data using (x('first')):(column('row')):(x('second') - x('first')):(0) with vectors nohead linetype -1 "
        "linecolor rgb quiet_color linewidth thin_line_width * 1.6 dashtype 1");
    script_.plot(fmt::format("data using (x('first')):(column('row')) with points {}", kFirstMark));
    script_.plot(fmt::format("data using (x('second')):(column('row')) with points {}", kSecondMark));
  }

  const Figure& figure_;
  const PairedChart& chart_;
  Script script_;
  std::vector<PlacedRow> rows_of_;
  std::size_t rows_ = 0;
  ScaledAxis axis_;
  std::optional<double> zero_;  // place of zeros on a logarithmic axis
  double gutter_end_ = 0.0;
  double label_room_ = 0.0, note_room_ = 0.0;
  Box box_;
};

}  // namespace

FigureFiles compose_paired(const Figure& figure, const PairedChart& chart) {
  return PairedPlot(figure, chart).composed();
}

}  // namespace memuse::figures
