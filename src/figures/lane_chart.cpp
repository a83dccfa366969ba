#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "figures/category_data.h"
#include "figures/figure_files.h"
#include "figures/frame.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"

// Lanes below a line of whole numbers. Rows count from 1 at the top; a heading takes a row of its own.

namespace memuse::figures {
namespace {

constexpr double kRowHeight = 9.6;
constexpr double kVisibleHalf = 0.07;  // of a row
constexpr double kAxisHeight = 26.0;   // of the line of numbers with its ticks
constexpr double kLineClear = 6.0;     // from the line of numbers to the lanes
constexpr double kBefore = 8.0;        // at most: from what is delivered for a place to the place
constexpr double kMarkGap = 5.0;       // from mark to mark at one place
constexpr double kNoteLine = 9.0;
constexpr double kLegendRow = 10.0;
constexpr std::size_t kNoteLines = 3;

/// How an event is drawn: bars as strokes of a share of the row's height, the others as points.
struct EventStyle {
  LaneEvent event;
  const char* key;    // in the data
  const char* name;   // for people
  double bar;         // half height in rows; 0 for points
  const char* style;  // of the stroke or point
};

// In the order in which they are drawn: what came of an entry lies on top.
constexpr std::array<EventStyle, 10> kEvents{{
    {LaneEvent::delivery, "delivery", "delivered", 0.42, "linecolor rgb delivery_color linewidth 1.6 dashtype 1"},
    {LaneEvent::restatement, "restatement", "delivered again", 0.2,
     "linecolor rgb quiet_color linewidth 0.8 dashtype 1"},
    {LaneEvent::created, "created", "created", 0.0, "pointtype 5 linecolor rgb delivery_color"},
    {LaneEvent::updated, "updated", "updated", 0.0, "pointtype 4 linecolor rgb delivery_color"},
    {LaneEvent::deleted, "deleted", "deleted", 0.0, "pointtype 2 linecolor rgb delivery_color"},
    {LaneEvent::mentioned, "mentioned", "mentioned or selected only", 0.0, "pointtype 1 linecolor rgb no_effect_color"},
    {LaneEvent::undetermined, "undetermined", "acted on, effect undetermined", 0.0,
     "pointtype 12 linecolor rgb undetermined_color"},
    {LaneEvent::no_effect, "no_effect", "acted on, no effect", 0.0, "pointtype 6 linecolor rgb no_effect_color"},
    {LaneEvent::improved, "improved", "acted on, improved", 0.0, "pointtype 9 linecolor rgb improved_color"},
    {LaneEvent::harmed, "harmed", "acted on, harmed", 0.0, "pointtype 11 linecolor rgb harmed_color"},
}};

const EventStyle& style_of(LaneEvent event) {
  return *std::find_if(kEvents.begin(), kEvents.end(), [event](const EventStyle& s) { return s.event == event; });
}

const char* band_key(LaneChart::Band::Kind kind) {
  return kind == LaneChart::Band::Kind::visible ? "visible" : "window";
}

class LanePlot {
 public:
  LanePlot(const Figure& figure, const LaneChart& chart) : figure_(figure), chart_(chart), script_(figure) {
    for (const LaneChart::Lane& lane : chart_.lanes) {
      if (!lane.heading.empty()) ++rows_;
      row_of_.push_back(++rows_);
      for (const LaneChart::Band& band : lane.bands) bands_.insert(band.kind);
      for (const LaneChart::Mark& mark : lane.marks) events_.insert(mark.event);
    }
  }

  FigureFiles composed() {
    FigureFiles files;
    files.data = data();
    lay_out();
    write_style();
    write_line();
    write_lanes();
    write_legend();
    write_plots();
    files.script = script_.finished();
    return files;
  }

 private:
  [[nodiscard]] std::string data() const {
    std::string out = "kind,row,place,last,from_row,shift,lane\n";
    for (std::size_t i = 0; i < chart_.lanes.size(); ++i) {
      const LaneChart::Lane& lane = chart_.lanes[i];
      const std::string label = data_field(lane.label);
      for (const LaneChart::Band& band : lane.bands) {
        out += fmt::format("{},{},{},{},,,{}\n", band_key(band.kind), row_of_[i], data_field(band.first),
                           data_field(band.last), label);
      }
      for (const LaneChart::Mark& mark : lane.marks) {
        const double shift = shift_of(lane, mark);
        out += fmt::format("{},{},{},,,{},{}\n", style_of(mark.event).key, row_of_[i], data_field(mark.place),
                           shift == 0.0 ? std::string() : data_field(shift), label);
      }
      if (lane.bands.empty() && lane.marks.empty()) out += fmt::format("lane,{},,,,,{}\n", row_of_[i], label);
    }
    for (const LaneChart::Arrow& arrow : chart_.arrows) {
      if (!is_drawable(arrow)) continue;
      out += fmt::format("arrow,{},{},,{},,{}\n", row_of_[arrow.to], data_field(arrow.place),
                         arrow.from ? row_of_[*arrow.from] : 0, data_field(chart_.lanes[arrow.to].label));
    }
    return out;
  }

  /// Marks of different kinds at one place stand side by side: how many steps of `mark_gap` this one is off.
  [[nodiscard]] static double shift_of(const LaneChart::Lane& lane, const LaneChart::Mark& mark) {
    if (style_of(mark.event).bar > 0.0) return 0.0;
    std::set<LaneEvent> there;
    for (const LaneChart::Mark& other : lane.marks) {
      if (other.place == mark.place && style_of(other.event).bar == 0.0) there.insert(other.event);
    }
    const auto before = std::distance(there.begin(), there.find(mark.event));
    return static_cast<double>(before) - (static_cast<double>(there.size()) - 1.0) / 2.0;
  }

  [[nodiscard]] bool is_drawable(const LaneChart::Arrow& arrow) const {
    return arrow.to < row_of_.size() && (!arrow.from || *arrow.from < row_of_.size());
  }

  void lay_out() {
    const double width = page_width(figure_.width);
    double names = 0.0;
    const double most = width * (figure_.width == Width::one_column ? 0.32 : 0.28);
    for (const LaneChart::Lane& lane : chart_.lanes) {
      names = std::max(names, text_width(drawable(lane.label), kSmallFontSize));
    }
    label_width_ = std::min(names, most);
    end_ = fit_text(drawable(chart_.end), kSmallFontSize, width * 0.18);
    note_lines_.clear();
    for (const std::string& note : chart_.notes) {
      for (std::string& line : wrap_text(drawable(note), kSmallFontSize, width - 8.0, kNoteLines)) {
        note_lines_.push_back(std::move(line));
      }
    }
    lay_out_legend(width - 8.0);
    box_.left = std::max(label_width_ + 9.0, text_width(drawable(chart_.axis_label), kSmallFontSize) + 12.0);
    box_.right = width - std::max(8.0, text_width(end_, kSmallFontSize) + 12.0);
    box_.bottom = 3.0 + static_cast<double>(note_lines_.size()) * kNoteLine + legend_height_;
    box_.top = box_.bottom + kRowHeight * static_cast<double>(std::max<std::size_t>(rows_, 1));
    script_.set_page({width, box_.top + kAxisHeight});
    script_.set_plot_area({box_.left, box_.right, box_.bottom, box_.top + kLineClear});
  }

  [[nodiscard]] double low() const { return static_cast<double>(chart_.first) - 0.7; }
  [[nodiscard]] double high() const { return static_cast<double>(std::max(chart_.first, chart_.last)) + 0.7; }
  [[nodiscard]] double x_of(double place) const {
    return box_.left + (place - low()) / (high() - low()) * box_.width();
  }
  [[nodiscard]] double y_of(double row) const { return box_.top - (row - 0.5) * kRowHeight; }

  void write_style() {
    const double unit = (high() - low()) / box_.width();  // of a point
    script_.set(
        fmt::format("improved_color = '#0072B2'\nharmed_color = '#D55E00'\nno_effect_color = '#202020'\n"
                    "undetermined_color = '#7A4A8C'\ndelivery_color = '#000000'\n"
                    "visible_color = '#BEBEBE'\nwindow_color = '#F7D98B'\narrow_color = '#8A8A8A'\n"
                    "is(kind) = strcol('kind') eq kind\n"
                    "place(kind) = is(kind) ? field('place') : NaN\n"
                    "# what is delivered for a place stands before what is done there\n"
                    "before = {}\n"
                    "# marks of one place stand side by side\n"
                    "mark_gap = {}\n"
                    "shifted(kind) = place(kind) + (strcol('shift') eq '' ? 0.0 : mark_gap * column('shift'))",
                    number(std::min(0.35, kBefore * unit)), number(kMarkGap * unit)));
    script_.set("unset border");
    script_.set("unset xtics");
    script_.set("unset ytics");
    script_.set(fmt::format("set xrange [{}:{}]", number(low()), number(high())));
    script_.set(fmt::format("set yrange [{}:{}]", number(static_cast<double>(std::max<std::size_t>(rows_, 1)) + 0.5),
                            number(0.5 - kLineClear / kRowHeight)));
  }

  /// The line of numbers above the lanes.
  void write_line() {
    const double y = box_.top + kLineClear;
    const std::string thin = "linetype -1 linecolor rgb 'black' linewidth thin_line_width * 1.5";
    script_.stroke(box_.left, y, box_.right, y, thin);
    const double first = static_cast<double>(chart_.first);
    const double last = static_cast<double>(std::max(chart_.first, chart_.last));
    const auto most = static_cast<std::size_t>(std::max(2.0, box_.width() / 34.0));
    const ScaledAxis axis = scale_axis({"", Scale::linear, first, last}, {}, most);
    double free_from = box_.left - 40.0;
    const auto tick = [&](double place, const std::string& label) {
      const double x = x_of(place);
      script_.stroke(x, y - 2.0, x, y + 2.0, thin);
      const double half = text_width(label, kSmallFontSize) / 2;
      if (x - half < free_from) return;
      script_.text(label, x, y + 8.0, {Anchor::center, 0.0, true});
      free_from = x + half + 3.0;
    };
    if (axis.ticks.empty() || axis.ticks.front().place > first) tick(first, fmt::format("{}", chart_.first));
    for (const Tick& each : axis.ticks) {
      if (each.place >= first && each.place <= last && each.place == std::floor(each.place)) {
        tick(each.place, fmt::format("{:.0f}", each.place));
      }
    }
    script_.text(fit_text(drawable(chart_.axis_label), kSmallFontSize, box_.left - 8.0), box_.left - 6.0, y,
                 {Anchor::right, 0.0, true});
    if (!end_.empty()) script_.text(end_, box_.right + 6.0, y, {Anchor::left, 0.0, true});
  }

  void write_lanes() {
    const std::string faint = "back linetype -1 linecolor rgb grid_color linewidth thin_line_width";
    for (std::size_t i = 0; i < chart_.lanes.size(); ++i) {
      const LaneChart::Lane& lane = chart_.lanes[i];
      const auto row = static_cast<double>(row_of_[i]);
      if (!lane.heading.empty()) {
        script_.text(fit_text(drawable(lane.heading), kSmallFontSize, script_.page().width - 8.0), 4.0, y_of(row - 1.0),
                     {Anchor::left, 0.0, true});
      }
      script_.text(fit_text(drawable(lane.label), kSmallFontSize, label_width_ + 0.5), box_.left - 6.0, y_of(row),
                   {Anchor::right, 0.0, true});
      if (!lane.follows) {
        const double y = y_of(row - (lane.heading.empty() ? 0.5 : 1.5));
        script_.stroke(4.0, y, box_.right, y, faint);
      }
    }
  }

  struct LegendPart {
    std::string name;
    std::string kind;  // of a band or event; `arrow`
    const EventStyle* event = nullptr;
    double x = 0.0;
    std::size_t row = 0;
  };

  void lay_out_legend(double width) {
    if (bands_.contains(LaneChart::Band::Kind::visible)) legend_.push_back({chart_.visible_name, "visible"});
    if (bands_.contains(LaneChart::Band::Kind::window)) legend_.push_back({chart_.window_name, "window"});
    for (const EventStyle& style : kEvents) {
      if (events_.contains(style.event)) legend_.push_back({style.name, style.key, &style});
    }
    if (!chart_.arrows.empty()) legend_.push_back({chart_.arrow_name, "arrow"});
    double used = 0.0;
    std::size_t row = 0;
    for (LegendPart& part : legend_) {
      const double needed = 13.0 + text_width(part.name, kSmallFontSize);
      if (used > 0.0 && used + needed > width) {
        used = 0.0;
        ++row;
      }
      part.x = 4.0 + used;
      part.row = row;
      used += needed + 9.0;
    }
    legend_height_ = legend_.empty() ? 0.0 : static_cast<double>(row + 1) * kLegendRow + 5.0;
  }

  void write_legend() {
    const double top = box_.bottom - 5.0;
    for (const LegendPart& part : legend_) {
      const double y = top - (static_cast<double>(part.row) + 0.5) * kLegendRow;
      const double x = part.x + 4.5;
      if (part.event != nullptr && part.event->bar == 0.0) {
        script_.set(fmt::format("set label '' at {} point {} pointsize marker_size * 1.25 front", script_.place(x, y),
                                part.event->style));
      } else if (part.event != nullptr) {
        const double half = part.event->bar * kRowHeight;
        script_.stroke(x, y - half, x, y + half, part.event->style);
      } else if (part.kind == "arrow") {
        script_.set(
            fmt::format("set arrow from {} to {} head size screen 0.006,20 filled linecolor rgb arrow_color "
                        "linewidth thin_line_width * 1.5",
                        script_.place(x, y + 4.0), script_.place(x, y - 4.0)));
      } else {
        const double half = kRowHeight * (part.kind == "visible" ? kVisibleHalf : 0.3);
        script_.set(fmt::format("set object rectangle from {} to {} fillcolor rgb {}_color fillstyle solid noborder",
                                script_.place(x - 4.5, y - half), script_.place(x + 4.5, y + half), part.kind));
      }
      script_.text(part.name, part.x + 12.0, y, {Anchor::left, 0.0, true});
    }
    for (std::size_t i = 0; i < note_lines_.size(); ++i) {
      const double y = 3.0 + (static_cast<double>(note_lines_.size() - i) - 0.5) * kNoteLine;
      script_.text(note_lines_[i], 4.0, y, {Anchor::left, 0.0, true, true});
    }
  }

  void write_plots() {
    const auto band = [&](LaneChart::Band::Kind kind, double half) {
      if (!bands_.contains(kind)) return;
      script_.plot(fmt::format(
          "data using (0.5 * (place('{0}') + field('last'))):(column('row')):(place('{0}') - 0.5):(field('last') + "
          "0.5):"
          "(column('row') - {1}):(column('row') + {1}) with boxxyerror fillstyle solid noborder fillcolor rgb "
          "{0}_color",
          band_key(kind), half));
    };
    band(LaneChart::Band::Kind::window, 0.36);
    band(LaneChart::Band::Kind::visible, kVisibleHalf);
    if (!chart_.arrows.empty()) {
      script_.set(
          fmt::format("# arrows start at the line of numbers or in a row, and end at the edge of another\n"
                      "start_row(x) = column('from_row') == 0 ? {} : column('from_row')\n"
                      "end_row(x) = column('row') - (column('from_row') == 0 ? 0.42 : 0.3) * sgn(column('row') - "
                      "column('from_row'))",
                      number(0.5 - kLineClear / kRowHeight)));
      script_.plot(
          "data using (place('arrow') - (column('from_row') == 0 ? before : 0.0)):(start_row(0)):(0):(end_row(0) - "
          "start_row(0)) with vectors head size screen "
          "0.006,20 filled linecolor rgb arrow_color linewidth thin_line_width * 1.2 dashtype 1");
    }
    for (const EventStyle& style : kEvents) {
      if (!events_.contains(style.event)) continue;
      if (style.bar > 0.0) {
        script_.plot(
            fmt::format("data using (place('{0}') - before):(column('row') - {1}):(0):({2}) with vectors nohead {3}",
                        style.key, number(style.bar), number(2.0 * style.bar), style.style));
      } else {
        script_.plot(
            fmt::format("data using (shifted('{}')):(column('row')) with points {} pointsize marker_size * 1.25",
                        style.key, style.style));
      }
    }
    if (bands_.empty() && events_.empty() && chart_.arrows.empty()) script_.plot("NaN");
  }

  const Figure& figure_;
  const LaneChart& chart_;
  Script script_;
  std::size_t rows_ = 0;
  std::vector<std::size_t> row_of_;
  std::set<LaneChart::Band::Kind> bands_;
  std::set<LaneEvent> events_;
  std::vector<LegendPart> legend_;
  std::vector<std::string> note_lines_;
  std::string end_;
  double label_width_ = 0.0;
  double legend_height_ = 0.0;
  Box box_;
};

}  // namespace

FigureFiles compose_lanes(const Figure& figure, const LaneChart& chart) {
  return LanePlot(figure, chart).composed();
}

}  // namespace memuse::figures
