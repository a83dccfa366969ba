#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"

// Small plots in a grid, drawn in points of the page. Names stand left of the first plot of each line.

namespace memuse::figures {
namespace {

constexpr double kSpreadRow = 12.0;
constexpr double kTitleHeight = 14.0;
constexpr double kTickHeight = 17.0;
constexpr double kPanelGap = 18.0;
constexpr std::size_t kSpreadNameLines = 1;

class SpreadPlot {
 public:
  SpreadPlot(const Figure& figure, const SpreadChart& chart) : figure_(figure), chart_(chart), script_(figure) {}

  FigureFiles composed() {
    FigureFiles files;
    files.data = data();
    lay_out();
    write_functions();
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) write_panel(p);
    write_plots();
    files.script = script_.finished();
    return files;
  }

 private:
  [[nodiscard]] static SpreadChart::Row row_of(const SpreadChart::Panel& panel, std::size_t row) {
    return row < panel.rows.size() ? panel.rows[row] : SpreadChart::Row{};
  }

  [[nodiscard]] std::string data() const {
    std::string out = "kind,panel_id,row_id,run_id,runs,value,low,high,panel,name\n";
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) {
      for (std::size_t r = 0; r < chart_.names.size(); ++r) {
        const SpreadChart::Row row = row_of(chart_.panels[p], r);
        const std::string names = data_field(chart_.panels[p].title) + "," + data_field(chart_.names[r]);
        for (std::size_t run = 0; run < row.values.size(); ++run) {
          out += fmt::format("run,{},{},{},{},{},,,{}\n", p + 1, r + 1, run + 1, row.values.size(),
                             data_field(row.values[run]), names);
        }
        std::optional<double> low;
        std::optional<double> high;
        if (row.mean.has_value() && row.deviation.has_value()) {
          low = *row.mean - *row.deviation;
          high = *row.mean + *row.deviation;
        }
        out += fmt::format("mean,{},{},,{},{},{},{},{}\n", p + 1, r + 1, row.values.size(), data_field(row.mean),
                           data_field(low), data_field(high), names);
      }
    }
    return out;
  }

  [[nodiscard]] static std::vector<double> drawn_values(const SpreadChart::Panel& panel) {
    std::vector<double> values;
    for (const SpreadChart::Row& row : panel.rows) {
      for (const std::optional<double>& value : row.values) {
        if (value.has_value()) values.push_back(*value);
      }
      if (!row.mean.has_value()) continue;
      values.push_back(*row.mean);
      if (!row.deviation.has_value()) continue;
      values.push_back(std::max(*row.mean - *row.deviation, panel.least.value_or(-HUGE_VAL)));
      values.push_back(*row.mean + *row.deviation);
    }
    return values;
  }

  void lay_out() {
    const double width = page_width(figure_.width);
    const std::size_t most = figure_.width == Width::one_column ? 2 : 3;
    const std::size_t columns = std::clamp<std::size_t>(chart_.panels.size(), 1, most);
    const std::size_t lines = (std::max<std::size_t>(chart_.panels.size(), 1) + columns - 1) / columns;
    double names = 0.0;
    for (const std::string& name : chart_.names) {
      names_.push_back(wrap_text(drawable(name), kFontSize, width * 0.24, kSpreadNameLines));
      for (const std::string& line : names_.back()) names = std::max(names, text_width(line, kFontSize));
    }
    const double left = names + 12.0;
    const double panel_width =
        (width - left - 9.0 - kPanelGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    const double plot_height = kSpreadRow * static_cast<double>(std::max<std::size_t>(chart_.names.size(), 1));
    const double line_step = kTitleHeight + plot_height + kTickHeight + 4.0;
    script_.set_page({width, line_step * static_cast<double>(lines) + 2.0});
    script_.plot_on_page();
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) {
      Box box;
      box.left = left + static_cast<double>(p % columns) * (panel_width + kPanelGap);
      box.right = box.left + panel_width;
      box.top = script_.page().height - static_cast<double>(p / columns) * line_step - kTitleHeight;
      box.bottom = box.top - plot_height;
      boxes_.push_back(box);
      axes_.push_back(scale_axis({}, drawn_values(chart_.panels[p]), 4));
      first_of_line_.push_back(p % columns == 0);
    }
  }

  [[nodiscard]] double x_of(std::size_t panel, double value) const {
    return boxes_[panel].left + axes_[panel].fraction(value) * boxes_[panel].width();
  }

  void write_functions() {
    std::string lefts;
    std::string tops;
    std::string lows;
    std::string highs;
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) {
      lefts += fmt::format(" {:.3f}", boxes_[p].left);
      tops += fmt::format(" {:.3f}", boxes_[p].top);
      lows += fmt::format(" {}", number(axes_[p].low));
      highs += fmt::format(" {}", number(axes_[p].high));
    }
    script_.set("# one word per panel: its place on the page and its scale");
    script_.set(fmt::format("panel_left = {}\npanel_top = {}\npanel_low = {}\npanel_high = {}", gnuplot_text(lefts),
                            gnuplot_text(tops), gnuplot_text(lows), gnuplot_text(highs)));
    script_.set(fmt::format("panel_width = {}\nrow_height = {}", number(boxes_.empty() ? 1.0 : boxes_[0].width()),
                            number(kSpreadRow)));
    script_.set(
        "of(words) = word(words, int(column('panel_id'))) + 0.0\n"
        "x(name) = of(panel_left) + (field(name) - of(panel_low)) / (of(panel_high) - of(panel_low)) * panel_width\n"
        "y(shift) = of(panel_top) - (column('row_id') - 0.5 + shift) * row_height\n"
        "# runs of a row stand a little apart\n"
        "run_shift(x) = column('runs') > 1 ? ((column('run_id') - 1) / (column('runs') - 1.0) - 0.5) * 0.56 : 0.0\n"
        "# the shade ends where the panel does\n"
        "low_x(x) = mean_x('low') < of(panel_left) ? of(panel_left) : mean_x('low')\n"
        "mean_x(name) = strcol('kind') eq 'mean' ? x(name) : NaN\n"
        "run_x(r) = strcol('kind') eq 'run' && column('row_id') == r ? x('value') : NaN");
  }

  void write_panel(std::size_t panel) {
    const Box& box = boxes_[panel];
    const std::string faint = "back linetype -1 linecolor rgb grid_color linewidth thin_line_width";
    const std::string thin = "linetype -1 linecolor rgb 'black' linewidth thin_line_width";
    script_.text(fit_text(drawable(chart_.panels[panel].title), kFontSize, box.width()), box.left, box.top + 6.0, {});
    script_.stroke(box.left, box.bottom, box.right, box.bottom, thin);
    if (drawn_values(chart_.panels[panel]).empty()) {
      script_.text("not assessed", (box.left + box.right) / 2, (box.top + box.bottom) / 2,
                   {Anchor::center, 0.0, false, true});
    } else {
      write_ticks_of(panel, faint, thin);
    }
    if (!first_of_line_[panel]) return;
    for (std::size_t r = 0; r < chart_.names.size(); ++r) {
      const double y = box.top - (static_cast<double>(r) + 0.5) * kSpreadRow;
      script_.text(names_[r], box.left - 6.0, y, {Anchor::right});
    }
  }

  void write_ticks_of(std::size_t panel, const std::string& faint, const std::string& thin) {
    const Box& box = boxes_[panel];
    double free_from = box.left - 30.0;
    for (const Tick& tick : axes_[panel].ticks) {
      const double x = x_of(panel, tick.place);
      script_.stroke(x, box.bottom, x, box.top, faint);
      script_.stroke(x, box.bottom, x, box.bottom - 2.5, thin);
      const double half = text_width(tick.label, kSmallFontSize) / 2;
      if (x - half < free_from) continue;
      script_.text(tick.label, x, box.bottom - 8.5, {Anchor::center, 0.0, true});
      free_from = x + half + 3.0;
    }
  }

  void write_plots() {
    bool any = false;
    for (const SpreadChart::Panel& panel : chart_.panels) any = any || !drawn_values(panel).empty();
    if (!any) {
      script_.plot("NaN");
      return;
    }
    script_.plot(
        "data using (mean_x('value')):(y(0)):(low_x(0)):(mean_x('high')):(y(0.38)):(y(-0.38)) with boxxyerror "
        "fillstyle solid noborder fillcolor rgb '#DCDCDC'");
    script_.plot(
        "data using (mean_x('value')):(y(0.38)):(0):(0.76 * row_height) with vectors nohead linecolor rgb "
        "interval_color linewidth thin_line_width * 2 dashtype 1");
    for (std::size_t r = 1; r <= chart_.names.size(); ++r) {
      script_.plot(fmt::format("data using (run_x({0})):(y(run_shift(0))) with points linetype {0}", r));
    }
  }

  const Figure& figure_;
  const SpreadChart& chart_;
  Script script_;
  std::vector<std::vector<std::string>> names_;
  std::vector<Box> boxes_;
  std::vector<ScaledAxis> axes_;
  std::vector<bool> first_of_line_;
};

}  // namespace

FigureFiles compose_spread(const Figure& figure, const SpreadChart& chart) {
  return SpreadPlot(figure, chart).composed();
}

}  // namespace memuse::figures
