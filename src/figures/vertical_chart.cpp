#include <fmt/format.h>

#include <algorithm>

#include "figures/category_data.h"
#include "figures/category_labels.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"
#include "model/text.h"

// Grouped bars, and lines over ordered categories. The categories stand at 1, 2, …; the series of a category side by
// side around it, bars without a gap, markers of lines so far apart that intervals and equal values can be told apart.

namespace memuse::figures {
namespace {

constexpr double kBarsOfSlot = 0.84;     // share of a category's slot that its bars fill
constexpr double kMarkersOfSlot = 0.36;  // share that the markers of lines spread over, at most
constexpr double kNoteGap = 2.0;         // points between a bar and the note above it
constexpr double kNarrowestNote = 5.4;   // points between bars below which upright notes would touch

constexpr std::size_t kTicks = 6;

class VerticalChart {
 public:
  VerticalChart(const Figure& figure, const CategoryChart& chart)
      : figure_(figure), chart_(chart), script_(figure), bars_(chart.mark == CategoryChart::Mark::bars) {}

  FigureFiles composed() {
    FigureFiles files;
    files.data = category_data(chart_);
    scale();
    lay_out(files.remarks);
    place_notes(files.remarks);
    write_axes();
    write_plots();
    write_notes();
    files.script = script_.finished();
    if (auto remark = left_out_by(axis_, all_values(chart_))) files.remarks.push_back(*remark);
    return files;
  }

 private:
  void scale() {
    std::vector<double> values = all_values(chart_);
    if (bars_ && chart_.axis.scale == Scale::linear) values.push_back(0.0);
    if (chart_.reference.has_value()) values.push_back(*chart_.reference);
    axis_ = scale_axis(chart_.axis, values, kTicks);
  }

  void lay_out(std::vector<std::string>& remarks) {
    const double width = page_width(figure_.width);
    const double right = width - 4.0;
    const CategoryLabels labels(chart_.categories, left_margin(axis_, chart_.axis.label), right);
    if (labels.every() > 1) {
      remarks.push_back(fmt::format("only every {}th category is named: there is no room for more", labels.every()));
    }
    const Legend legend(series_names(chart_), bars_ ? Sample::box : Sample::line, width - 8.0);
    const double usual = figure_.width == Width::one_column ? 4.6 : 5.4;
    const double plot_height = figure_.height_cm.value_or(usual) * 72.0 / 2.54;
    const double label_room = chart_.category_label.empty() ? 0.0 : line_height(kFontSize) + 2.0;
    box_.left = labels.left_margin();
    box_.right = right;
    box_.bottom = labels.height() + label_room + 2.0;
    box_.top = box_.bottom + plot_height;
    script_.set_page({width, box_.top + legend.height() + 6.0});
    script_.set_plot_area(box_);
    legend.write(script_, 4.0, script_.page().height - 1.0);
    labels.write(script_, box_);
    if (label_room > 0.0) {
      script_.text(fit_text(printable(chart_.category_label), kFontSize, width - 8.0), (box_.left + box_.right) / 2,
                   2.0 + line_height(kFontSize) / 2, {Anchor::center});
    }
    slot_ = box_.width() / static_cast<double>(std::max<std::size_t>(chart_.categories.size(), 1));
    const auto count = static_cast<double>(std::max<std::size_t>(chart_.series.size(), 1));
    // Markers need no more than 7 points each.
    const double spread = bars_ ? kBarsOfSlot : std::min(kMarkersOfSlot, 7.0 * count / slot_);
    step_ = std::min(spread / count, bars_ ? 0.5 : spread);
  }

  /// Place of a series' mark, in categories.
  [[nodiscard]] double offset(std::size_t series) const {
    return (static_cast<double>(series) - (static_cast<double>(chart_.series.size()) - 1.0) / 2.0) * step_;
  }

  /// Decides how the notes stand and makes room for them above the highest bar.
  void place_notes(std::vector<std::string>& remarks) {
    if (!bars_) return;
    double widest = 0.0;
    for_each_note([&](const Estimate& estimate, std::size_t, std::size_t) {
      widest = std::max(widest, text_width(printable(estimate.note), kSmallFontSize));
    });
    if (widest == 0.0) return;
    const double pitch = step_ * slot_;
    upright_ = widest > pitch - 1.5;
    if (upright_ && pitch < kNarrowestNote) {
      remarks.emplace_back("the notes above the bars are in the data file only: the bars are too narrow for them");
      return;
    }
    notes_shown_ = true;
    note_room_ = box_.height() * 0.5;
    const double length = upright_ ? std::min(widest, note_room_) : kSmallFontSize;
    const double factor = box_.height() / (box_.height() - length - kNoteGap - 1.0);
    double highest = axis_.high;
    for_each_note([&](const Estimate& estimate, std::size_t, std::size_t) {
      if (axis_.scale == Scale::linear) {
        highest = std::max(highest, axis_.low + (top_of(estimate) - axis_.low) * factor);
      }
    });
    axis_.high = highest;
  }

  template <typename Visit>
  void for_each_note(const Visit& visit) const {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
        const Estimate estimate = estimate_of(chart_, s, c);
        if (estimate.value.has_value() && axis_.holds(*estimate.value) && !estimate.note.empty()) {
          visit(estimate, s, c);
        }
      }
    }
  }

  /// Upper end of what is drawn of an estimate.
  [[nodiscard]] double top_of(const Estimate& estimate) const {
    double top = std::max(*estimate.value, axis_.scale == Scale::linear ? 0.0 : axis_.low);
    if (estimate.interval.has_value()) top = std::max(top, estimate.interval->second);
    return top;
  }

  [[nodiscard]] double x_of(std::size_t series, std::size_t category) const {
    return box_.left + (static_cast<double>(category) + 0.5 + offset(series)) * slot_;
  }

  void write_notes() {
    if (!bars_) return;
    if (notes_shown_) {
      for_each_note([&](const Estimate& estimate, std::size_t s, std::size_t c) {
        const std::string note = fit_text(printable(estimate.note), kSmallFontSize, note_room_);
        const double y = box_.bottom + axis_.fraction(top_of(estimate)) * box_.height() + kNoteGap;
        const double middle = upright_ ? y : y + kSmallFontSize / 2;
        script_.text(note, x_of(s, c), middle, {upright_ ? Anchor::left : Anchor::center, upright_ ? 90.0 : 0.0, true});
      });
    }
    write_gaps();
  }

  /// A missing bar looks like one of height 0, so a dash says that there is none.
  void write_gaps() {
    const double base = axis_.scale == Scale::linear ? std::clamp(0.0, axis_.low, axis_.high) : axis_.low;
    const double y = box_.bottom + axis_.fraction(base) * box_.height() + 4.0;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      for (std::size_t c = 0; c < chart_.categories.size(); ++c) {
        const Estimate estimate = estimate_of(chart_, s, c);
        if (estimate.value.has_value() && axis_.holds(*estimate.value)) continue;
        script_.text(step_ * slot_ >= 7.0 ? "—" : "-", x_of(s, c), y, {Anchor::center, 0.0, true, true});
      }
    }
  }

  void write_axes() {
    script_.set(fmt::format("set xrange [0.5:{}]", number(static_cast<double>(chart_.categories.size()) + 0.5)));
    script_.set("unset xtics");
    write_vertical_axis(script_, axis_, chart_.axis.label, box_);
    if (bars_ && axis_.low < 0.0 && axis_.high > 0.0)
      script_.set("set xzeroaxis linetype -1 linewidth thin_line_width");
    if (chart_.reference.has_value() && axis_.holds(*chart_.reference)) {
      script_.set(
          fmt::format("set arrow from graph 0, first {0} to graph 1, first {0} nohead linetype -1 linecolor rgb "
                      "quiet_color dashtype (3,3) linewidth thin_line_width",
                      number(*chart_.reference)));
    }
    script_.set(fmt::format("series_count = {}", chart_.series.size()));
    script_.set(fmt::format("series_step = {:.5f}", step_));
    script_.set("set errorbars 0.4");
    script_.set("offset(s) = (s - (series_count + 1) / 2.0) * series_step");
    script_.set("x(s) = column('series_id') == s ? column('category_id') + offset(s) : NaN");
    script_.set("y(s) = column('series_id') == s ? column('value') : NaN");
  }

  void write_plots() {
    bool any = false;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      if (!has_values(chart_, s, axis_)) continue;
      any = true;
      const std::size_t id = s + 1;
      if (bars_) {
        script_.plot(
            fmt::format("data using (x({0})):(y({0})):(series_step * 0.92) with boxes fillcolor linetype {0} "
                        "fillstyle solid border rgb bar_border linewidth thin_line_width",
                        id));
      } else {
        script_.plot(fmt::format("data using (x({0})):(y({0})) with linespoints linetype {0}", id));
      }
      if (!has_intervals(chart_, s, axis_)) continue;
      script_.plot(
          fmt::format("data using (x({0})):(y({0})):(column('low')):(column('high')) with yerrorbars {1} "
                      "linewidth thin_line_width * 1.4 dashtype 1 pointsize 0",
                      id, bars_ ? "linecolor rgb interval_color" : fmt::format("linetype {}", id)));
    }
    if (!any) script_.plot("NaN");
  }

  const Figure& figure_;
  const CategoryChart& chart_;
  Script script_;
  bool bars_;
  ScaledAxis axis_;
  Box box_;
  double slot_ = 0.0;  // points per category
  double step_ = 0.0;  // categories per series
  bool notes_shown_ = false;
  bool upright_ = false;
  double note_room_ = 0.0;
};

}  // namespace

FigureFiles compose_vertical(const Figure& figure, const CategoryChart& chart) {
  return VerticalChart(figure, chart).composed();
}

}  // namespace memuse::figures
