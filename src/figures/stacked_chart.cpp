#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"

// Bars from left to right that are made of the same parts, each with its count beside it. Parts differ in colour,
// lightness and hatching.

namespace memuse::figures {
namespace {

constexpr double kBarHeight = 11.0;
constexpr double kBarGap = 6.0;
constexpr double kStackedLegendRow = 12.0;
constexpr std::size_t kStackedNameLines = 2;

struct PartStyle {
  const char* fill;
  bool white;  // text on it
};
constexpr std::array<PartStyle, 4> kParts{{
    {"fillcolor rgb '#0072B2' fillstyle solid border rgb bar_border dashtype 1", true},
    {"fillcolor rgb '#DADADA' fillstyle solid border rgb bar_border dashtype 1", false},
    {"fillcolor rgb '#D55E00' fillstyle pattern 4 border rgb '#D55E00' dashtype 1", false},
    {"fillcolor rgb '#7A7A7A' fillstyle pattern 6 border rgb bar_border dashtype 1", false},
}};

class StackedBars {
 public:
  StackedBars(const Figure& figure, const StackedChart& chart) : figure_(figure), chart_(chart), script_(figure) {}

  FigureFiles composed() {
    FigureFiles files;
    files.data = data();
    lay_out();
    write_functions();
    write_legend();
    write_bars();
    files.script = script_.finished();
    return files;
  }

 private:
  [[nodiscard]] static std::uint64_t total(const StackedChart::Bar& bar) {
    return std::accumulate(bar.counts.begin(), bar.counts.end(), std::uint64_t{0});
  }
  [[nodiscard]] static std::uint64_t count(const StackedChart::Bar& bar, std::size_t part) {
    return part < bar.counts.size() ? bar.counts[part] : 0;
  }
  [[nodiscard]] static double percent(const StackedChart::Bar& bar, std::size_t part) {
    return 100.0 * static_cast<double>(count(bar, part)) / static_cast<double>(total(bar));
  }
  /// Percent of the bar that lies left of a part.
  [[nodiscard]] static double start(const StackedChart::Bar& bar, std::size_t part) {
    std::uint64_t before = 0;
    for (std::size_t p = 0; p < part; ++p) before += count(bar, p);
    return 100.0 * static_cast<double>(before) / static_cast<double>(total(bar));
  }

  [[nodiscard]] std::string data() const {
    std::string out = "bar_id,part_id,count,of,start,percent,part,bar\n";
    for (std::size_t b = 0; b < chart_.bars.size(); ++b) {
      const StackedChart::Bar& bar = chart_.bars[b];
      const std::uint64_t all = total(bar);
      for (std::size_t p = 0; p < chart_.parts.size(); ++p) {
        const bool known = all > 0;
        out += fmt::format("{},{},{},{},{},{},{},{}\n", b + 1, p + 1, count(bar, p), all,
                           known ? data_field(start(bar, p)) : std::string(),
                           known ? data_field(percent(bar, p)) : std::string(), data_field(chart_.parts[p]),
                           data_field(bar.name));
      }
    }
    return out;
  }

  void lay_out() {
    const double width = page_width(figure_.width);
    const double room = width * (figure_.width == Width::one_column ? 0.34 : 0.28);
    double names = 0.0;
    std::size_t lines = 1;
    double notes = 0.0;
    for (const StackedChart::Bar& bar : chart_.bars) {
      names_.push_back(wrap_text(drawable(bar.name), kFontSize, room, kStackedNameLines));
      lines = std::max(lines, names_.back().size());
      for (const std::string& line : names_.back()) names = std::max(names, text_width(line, kFontSize));
      notes = std::max(notes, text_width(drawable(bar.note), kSmallFontSize));
    }
    row_ = std::max(kBarHeight + kBarGap, static_cast<double>(lines) * line_height(kFontSize) + 3.0);
    axis_ = scale_axis({"", Scale::linear, 0.0, 100.0}, {}, 5);
    place_legend(width - 8.0);
    box_.left = std::max(names + 9.0, 12.0);
    box_.right = width - std::max(notes + 8.0, 10.0);
    box_.bottom = bottom_margin(chart_.axis_label);
    box_.top = box_.bottom + row_ * static_cast<double>(std::max<std::size_t>(chart_.bars.size(), 1));
    script_.set_page({width, box_.top + legend_height_ + 4.0});
    script_.set_plot_area(box_);
  }

  void place_legend(double width) {
    double used = 0.0;
    std::size_t row = 0;
    for (const std::string& part : chart_.parts) {
      const double needed = 13.0 + text_width(drawable(part), kFontSize);
      if (used > 0.0 && used + needed > width) {
        used = 0.0;
        ++row;
      }
      legend_.push_back({4.0 + used, static_cast<double>(row)});
      used += needed + 10.0;
    }
    legend_height_ = chart_.parts.empty() ? 0.0 : static_cast<double>(row + 1) * kStackedLegendRow + 4.0;
  }

  void write_legend() {
    for (std::size_t p = 0; p < chart_.parts.size(); ++p) {
      const double y = script_.page().height - 2.0 - (legend_[p].second + 0.5) * kStackedLegendRow;
      const double x = legend_[p].first;
      script_.set(fmt::format("set object rectangle from {} to {} {} linewidth thin_line_width",
                              script_.place(x, y - 3.5), script_.place(x + 10.0, y + 3.5),
                              kParts[p % kParts.size()].fill));
      script_.text(fit_text(drawable(chart_.parts[p]), kFontSize, script_.page().width - 20.0), x + 13.0, y, {});
    }
  }

  void write_functions() {
    script_.set("set border 1");
    script_.set(fmt::format("set yrange [{}:0.5]",
                            number(static_cast<double>(std::max<std::size_t>(chart_.bars.size(), 1)) + 0.5)));
    script_.set("unset ytics");
    write_horizontal_axis(script_, axis_, chart_.axis_label, box_);
    script_.set(fmt::format("half_bar = {:.4f}", kBarHeight / 2 / row_));
    script_.set("start(p) = column('part_id') == p && column('percent') > 0 ? field('start') : NaN");
  }

  void write_bars() {
    bool any = false;
    for (std::size_t p = 0; p < chart_.parts.size(); ++p) {
      const bool used = std::any_of(chart_.bars.begin(), chart_.bars.end(),
                                    [p](const StackedChart::Bar& bar) { return count(bar, p) > 0; });
      if (!used) continue;
      any = true;
      script_.plot(fmt::format(
          "data using (start({0})):(column('bar_id')):(start({0})):(start({0}) + field('percent')):(column('bar_id') - "
          "half_bar):(column('bar_id') + half_bar) with boxxyerror {1} linewidth thin_line_width",
          p + 1, kParts[p % kParts.size()].fill));
    }
    if (!any) script_.plot("NaN");
    for (std::size_t b = 0; b < chart_.bars.size(); ++b) write_texts(b);
  }

  void write_texts(std::size_t index) {
    const StackedChart::Bar& bar = chart_.bars[index];
    const double y = box_.top - (static_cast<double>(index) + 0.5) * row_;
    script_.text(names_[index], box_.left - 5.0, y, {Anchor::right});
    script_.text(drawable(bar.note), box_.right + 5.0, y, {Anchor::left, 0.0, true});
    if (total(bar) == 0) {
      script_.text("—", box_.left + 4.0, y, {Anchor::left, 0.0, true, true});
      return;
    }
    for (std::size_t p = 0; p < chart_.parts.size(); ++p) {
      const double share = percent(bar, p);
      const std::string text = fmt::format("{:.0f}", share);
      const double left = box_.left + axis_.fraction(start(bar, p)) * box_.width();
      const double right = box_.left + axis_.fraction(start(bar, p + 1)) * box_.width();
      if (share <= 0.0 || right - left < text_width(text, kSmallFontSize) + 5.0) continue;
      const PartStyle& style = kParts[p % kParts.size()];
      const bool hatched = std::string_view(style.fill).find("pattern") != std::string_view::npos;
      script_.text(text, (left + right) / 2, y, {Anchor::center, 0.0, true, false, style.white, hatched});
    }
  }

  const Figure& figure_;
  const StackedChart& chart_;
  Script script_;
  ScaledAxis axis_;
  Box box_;
  double row_ = 0.0;
  std::vector<std::vector<std::string>> names_;
  std::vector<std::pair<double, double>> legend_;  // left edge, row
  double legend_height_ = 0.0;
};

}  // namespace

FigureFiles compose_stacked(const Figure& figure, const StackedChart& chart) {
  return StackedBars(figure, chart).composed();
}

}  // namespace memuse::figures
