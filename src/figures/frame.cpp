#include "figures/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "figures/text_metrics.h"
#include "model/text.h"

namespace memuse::figures {
namespace {

constexpr double kTickGap = 5.0;   // from the axis to its tick labels
constexpr double kLabelGap = 3.0;  // from tick labels to the axis' label
constexpr double kSampleWidth = 18.0;
constexpr double kSampleGap = 3.0;
constexpr double kColumnGap = 9.0;

double sample_width(Sample sample) {
  return sample == Sample::line ? kSampleWidth : 9.0;
}

std::string tick_list(const ScaledAxis& axis) {
  std::string list;
  for (const Tick& tick : axis.ticks) {
    if (!list.empty()) list += ", ";
    list += tick.label.empty() ? fmt::format("'' {} 1", number(tick.place))
                               : fmt::format("{} {}", quoted(tick.label), number(tick.place));
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
  double widest = 0.0;
  for (const std::string& name : names) {
    names_.push_back(fit_text(printable(name), kFontSize, width - beside));
    widest = std::max(widest, text_width(names_.back(), kFontSize));
  }
  column_width_ = beside + widest + kColumnGap;
  const auto fitting = static_cast<std::size_t>((width + kColumnGap) / column_width_);
  columns_ = std::clamp<std::size_t>(fitting, 1, names.size());
  // As many columns as the rows need, so that the last row is not nearly empty.
  const std::size_t rows = (names.size() + columns_ - 1) / columns_;
  columns_ = (names.size() + rows - 1) / rows;
}

double Legend::height() const {
  if (names_.empty()) return 0.0;
  const std::size_t rows = (names_.size() + columns_ - 1) / columns_;
  return static_cast<double>(rows) * line_height(kFontSize) + 5.0;
}

void Legend::write(Script& script, double left, double top) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const double x = left + static_cast<double>(i % columns_) * column_width_;
    const double y = top - (static_cast<double>(i / columns_) + 0.5) * line_height(kFontSize);
    const double width = sample_width(sample_);
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
    script.text(names_[i], x + width + kSampleGap, y, {});
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
  script.text(fit_text(printable(label), kFontSize, room), x, y, {Anchor::center, 90.0});
}

void write_horizontal_axis(Script& script, const ScaledAxis& axis, const std::string& label, const Box& box) {
  write_ticks(script, axis, 'x');
  if (label.empty()) return;
  const double y = box.bottom - kTickGap - line_height(kFontSize) - kLabelGap - line_height(kFontSize) / 2;
  const std::string shown = fit_text(printable(label), kFontSize, script.page().width - 4.0);
  const double half = text_width(shown, kFontSize) / 2;
  const double x = std::clamp((box.left + box.right) / 2, half + 2.0, script.page().width - half - 2.0);
  script.text(shown, x, y, {Anchor::center});
}

}  // namespace memuse::figures
