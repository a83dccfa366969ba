#include "figures/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "figures/text_metrics.h"

namespace memuse::figures {
namespace {

constexpr double kTickGap = 8.0;   // from the axis to its tick labels
constexpr double kLabelGap = 3.0;  // from tick labels to the axis' label
constexpr double kSampleWidth = 18.0;
constexpr double kSampleGap = 3.0;
constexpr double kColumnGap = 9.0;
constexpr double kLegendLine = 11.0;

double sample_width(Sample sample) {
  return sample == Sample::line ? kSampleWidth : 9.0;
}

std::string tick_list(const ScaledAxis& axis) {
  std::string list;
  for (const Tick& tick : axis.ticks) {
    if (!list.empty()) list += ", ";
    list += tick.label.empty() ? fmt::format("'' {} 1", number(tick.place))
                               : fmt::format("{} {}", gnuplot_text(tick.label), number(tick.place));
  }
  return list;
}

void write_ticks(Script& script, const ScaledAxis& axis, char name) {
  if (axis.scale == Scale::log) script.set(fmt::format("set logscale {}", name));
  script.set(fmt::format("set {}range [{}:{}]", name, number(axis.low), number(axis.high)));
  script.set(fmt::format("set {}tics ({})", name, tick_list(axis)));
  script.set(fmt::format("set grid {}tics back linetype -1 linecolor rgb grid_color linewidth thin_line_width", name));
}

}  // namespace

Legend::Legend(const std::vector<std::string>& names, Sample sample, double width) : sample_(sample) {
  if (names.size() < 2) return;
  const double beside = sample_width(sample) + kSampleGap;
  double used = 0.0;
  for (const std::string& name : names) {
    Entry entry;
    entry.name = fit_text(drawable(name), kFontSize, width - beside);
    const double needed = beside + text_width(entry.name, kFontSize);
    if (rows_ == 0 || used + needed > width) {
      ++rows_;
      used = 0.0;
    }
    entry.row = rows_ - 1;
    entry.left = used;
    used += needed + kColumnGap;
    entries_.push_back(std::move(entry));
  }
}

double Legend::height() const {
  return rows_ == 0 ? 0.0 : static_cast<double>(rows_) * kLegendLine + 5.0;
}

void Legend::write(Script& script, double left, double top) const {
  const double width = sample_width(sample_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const double x = left + entries_[i].left;
    const double y = top - (static_cast<double>(entries_[i].row) + 0.5) * kLegendLine;
    const std::size_t type = i + 1;
    if (sample_ == Sample::box) {
      script.set(
          fmt::format("set object rectangle from {} to {} fillcolor linetype {} fillstyle solid border rgb bar_border"
                      " linewidth thin_line_width",
                      script.place(x + 1.0, y - 2.8), script.place(x + width - 1.0, y + 2.8), type));
    } else {
      if (sample_ == Sample::line) script.stroke(x, y, x + width, y, fmt::format("linetype {}", type));
      script.set(fmt::format("set label '' at {} point linetype {} pointsize marker_size front",
                             script.place(x + width / 2, y), type));
    }
    script.text(entries_[i].name, x + width + kSampleGap, y, {});
  }
}

double left_margin(const ScaledAxis& axis, const std::string& label) {
  const double label_room = label.empty() ? 0.0 : kLabelGap + line_height(kFontSize);
  return axis.label_width(kFontSize) + kTickGap + label_room + 1.0;
}

double bottom_margin(const std::string& label) {
  return kTickGap + line_height(kFontSize) + (label.empty() ? 0.0 : kLabelGap + line_height(kFontSize)) + 1.0;
}

void write_vertical_axis(Script& script, const ScaledAxis& axis, const std::string& label, const Box& box) {
  write_ticks(script, axis, 'y');
  if (label.empty()) return;
  const double room = std::min(script.page().height, box.height() * 1.3);
  const double y = std::clamp((box.bottom + box.top) / 2, room / 2, script.page().height - room / 2);
  const double x = box.left - kTickGap - axis.label_width(kFontSize) - kLabelGap - line_height(kFontSize) / 2;
  script.text(fit_text(drawable(label), kFontSize, room), x, y, {Anchor::center, 90.0});
}

void write_horizontal_axis(Script& script, const ScaledAxis& axis, const std::string& label, const Box& box) {
  write_ticks(script, axis, 'x');
  if (label.empty()) return;
  const double y = box.bottom - kTickGap - line_height(kFontSize) - kLabelGap - line_height(kFontSize) / 2;
  const std::string shown = fit_text(drawable(label), kFontSize, script.page().width - 4.0);
  const double half = text_width(shown, kFontSize) / 2;
  const double x = std::clamp((box.left + box.right) / 2, half + 2.0, script.page().width - half - 2.0);
  script.text(shown, x, y, {Anchor::center});
}

}  // namespace memuse::figures
