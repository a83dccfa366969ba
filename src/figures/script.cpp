#include "figures/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "figures/text_metrics.h"

namespace memuse::figures {
namespace {

constexpr double kPointsPerCm = 72.0 / 2.54;
constexpr double kPixelsPerInch = 300.0;
// gnuplot's cairo terminals take font sizes for a screen of 96 dots per inch.
constexpr double kCairoFontScale = 72.0 / 96.0;

// Okabe and Ito's palette, which people with any kind of colour vision tell apart; every series has a marker and a dash
// pattern of its own beside its colour.
constexpr std::string_view kStyle = R"(# Style: change what you like.
font_family = 'Liberation Sans'
font_size = 8
small_font_size = 6.5
line_width = 1.2
marker_size = 0.45
thin_line_width = 0.5
# series: colour (Okabe-Ito, yellow darkened for white paper), marker, dashes
set linetype 1 linecolor rgb '#0072B2' linewidth line_width pointtype 7  dashtype 1
set linetype 2 linecolor rgb '#D55E00' linewidth line_width pointtype 5  dashtype (12,4)
set linetype 3 linecolor rgb '#009E73' linewidth line_width pointtype 9  dashtype (4,3)
set linetype 4 linecolor rgb '#CC79A7' linewidth line_width pointtype 13 dashtype (12,3,3,3)
set linetype 5 linecolor rgb '#E69F00' linewidth line_width pointtype 11 dashtype (20,4)
set linetype 6 linecolor rgb '#56B4E9' linewidth line_width pointtype 6  dashtype (2,2)
set linetype 7 linecolor rgb '#000000' linewidth line_width pointtype 4  dashtype (8,3,2,3,2,3)
set linetype 8 linecolor rgb '#B8A800' linewidth line_width pointtype 8  dashtype (16,3,6,3)
set linetype cycle 8
bar_border = '#404040'
interval_color = '#202020'
grid_color = '#D8D8D8'
quiet_color = '#707070'
small_font = font_family.','.sprintf('%g', small_font_size)

)";

std::string anchor_name(Anchor anchor) {
  if (anchor == Anchor::left) return "left";
  return anchor == Anchor::center ? "center" : "right";
}

std::string outputs(const std::string& name, Size page) {
  const double scale = kPixelsPerInch / 72.0;
  std::string out = fmt::format(
      "fonts = font_family.','.sprintf('%g', font_size)\n"
      "set terminal pdfcairo noenhanced color size {:.4f}in,{:.4f}in font fonts fontscale {:.4f} linewidth 2\n"
      "set output {}\n"
      "{{plot}}\n",
      page.width / 72.0, page.height / 72.0, kCairoFontScale, gnuplot_text(name + ".pdf"));
  out += fmt::format(
      "set terminal svg noenhanced size {:.0f},{:.0f} fixed font fonts background 'white'\n"
      "set output {}\n"
      "replot\n",
      page.width, page.height, gnuplot_text(name + ".svg"));
  return out += fmt::format(
             "set terminal pngcairo noenhanced color size {:.0f},{:.0f} font fonts fontscale {:.4f} linewidth {:.4f} "
             "pointscale {:.4f}\n"
             "set output {}\n"
             "replot\n"
             "set output\n",
             page.width * scale, page.height * scale, kCairoFontScale * scale, scale, scale,
             gnuplot_text(name + ".png"));
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  const std::string drawn = drawable(text);
  std::string out = "'";
  for (std::size_t i = 0; i < drawn.size();) {
    if (drawn[i] != '\'') {
      out += drawn[i++];
      continue;
    }
    const std::size_t end = std::min(drawn.find_first_not_of('\'', i), drawn.size());
    if (i > 0 && end == i + 1) {
      out += "''";
    } else {
      // gnuplot 5.4 understands an escaped quote neither at the start of a string nor after another one.
      out += "'.\"";
      for (std::size_t quote = i; quote < end; ++quote) out += "\\047";
      out += "\".'";
    }
    i = end;
  }
  return out + "'";
}

std::string gnuplot_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    if (!out.empty()) out += ".\"\\n\".";
    out += gnuplot_text(line);
  }
  return out.empty() ? "''" : out;
}

std::string number(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

double page_width(Width width) {
  return (width == Width::one_column ? 8.4 : 17.0) * kPointsPerCm;
}

std::string Script::place(double x, double y) const {
  return fmt::format("screen {:.5f}, screen {:.5f}", x / page_.width, y / page_.height);
}

void Script::text(const std::vector<std::string>& lines, double x, double y, const TextPlacement& placement) {
  if (lines.empty()) return;
  if (placement.backed && !backed_) {
    backed_ = true;
    set("set style textbox opaque noborder fillcolor rgb 'white' margins 0.4,0.3");
  }
  const double size = placement.small ? kSmallFontSize : kFontSize;
  // gnuplot centres the first line at the place; the block of lines shall be centred there.
  const double shift = static_cast<double>(lines.size() - 1) / 2.0 * line_height(size);
  const double radians = placement.angle * std::acos(-1.0) / 180.0;
  const char* colour = placement.white ? " textcolor rgb 'white'" : placement.grey ? " textcolor rgb quiet_color" : "";
  set(fmt::format("set label {} at {} {}{}{}{}{} front", gnuplot_lines(lines),
                  place(x - shift * std::sin(radians), y + shift * std::cos(radians)), anchor_name(placement.anchor),
                  placement.angle == 0.0 ? "" : fmt::format(" rotate by {:g}", placement.angle),
                  placement.small ? " font small_font" : "", colour, placement.backed ? " boxed" : ""));
}

void Script::stroke(double x, double y, double to_x, double to_y, const std::string& style) {
  set(fmt::format("set arrow from {} to {} nohead {}", place(x, y), place(to_x, to_y), style));
}

void Script::set_plot_area(const Box& box) {
  set(fmt::format("set lmargin at screen {:.5f}", box.left / page_.width));
  set(fmt::format("set rmargin at screen {:.5f}", box.right / page_.width));
  set(fmt::format("set bmargin at screen {:.5f}", box.bottom / page_.height));
  set(fmt::format("set tmargin at screen {:.5f}", box.top / page_.height));
}

void Script::plot_on_page() {
  set_plot_area({0.0, page_.width, 0.0, page_.height});
  set("unset border");
  set("unset xtics");
  set("unset ytics");
  set(fmt::format("set xrange [0:{}]", number(page_.width)));
  set(fmt::format("set yrange [0:{}]", number(page_.height)));
}

std::string Script::finished() const {
  std::string out = fmt::format(
      "# Drawn by gnuplot 5.4 or later from {0}.csv, beside this file:\n"
      "#   gnuplot --default-settings {0}.gp\n"
      "# writes {0}.pdf, {0}.svg and {0}.png.\n"
      "caption = {1}\n\n{2}"
      "# Data and layout\n"
      "data = {3}\n"
      "set encoding utf8\n"
      "set datafile separator comma\n"
      "set datafile columnheaders\n"
      "set key off\n"
      "set pointsize marker_size\n"
      "# intervals, and fields that may be empty: a missing number breaks a line, it is never 0\n"
      "cap_size = 0.005\n"
      "field(name) = strcol(name) eq '' ? NaN : column(name)\n"
      "set border 3 linewidth thin_line_width\n"
      "set tics out nomirror scale 0.4,0.2\n",
      figure_.name, gnuplot_text(figure_.caption), kStyle, gnuplot_text(figure_.name + ".csv"));
  for (const std::string& line : settings_) out.append(line).append("\n");
  std::string command = "plot";
  for (std::size_t i = 0; i < plots_.size(); ++i) {
    command.append(i == 0 ? " " : ", \\\n     ").append(plots_[i]);
  }
  std::string drawing = outputs(figure_.name, page_);
  static constexpr std::string_view kPlot = "{plot}";
  drawing.replace(drawing.find(kPlot), kPlot.size(), command);
  return out.append("\n# Drawing\n").append(drawing);
}

}  // namespace memuse::figures
