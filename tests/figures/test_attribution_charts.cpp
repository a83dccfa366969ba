#include <catch2/catch.hpp>

#include <limits>
#include <string>
#include <vector>

#include "figures/child_process.h"
#include "figures/draw.h"
#include "figures/figure_files.h"
#include "support/data.h"
#include "support/temporary_folder.h"

// The charts of attribution: data value by value, scripts that nothing in a text can change, pictures in all forms.

namespace memuse::figures {
namespace {

Figure figure_of(Chart chart, Width width = Width::two_columns) {
  return {"chart", "caption", width, {}, std::move(chart)};
}

/// What gnuplot would take as code: the script without the texts between single quotes, where it substitutes nothing.
std::string code_of(const std::string& script) {
  std::string left;
  bool inside = false;
  for (const char c : script) {
    if (c == '\'') {
      inside = !inside;
    } else if (!inside) {
      left += c;
    }
  }
  CHECK_FALSE(inside);
  return left;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

RadarChart radar_of(std::vector<std::vector<std::optional<double>>> rows, const std::string& name = "cards") {
  RadarChart chart;
  chart.axes = {{"Acted on"}, {"Benefit"}, {"Harm", true}};
  for (std::size_t s = 0; s < rows.size(); ++s) {
    Series series{name + (s == 0 ? "" : std::to_string(s)), {}};
    for (const std::optional<double>& value : rows[s]) series.values.push_back({value, std::nullopt, ""});
    chart.series.push_back(series);
  }
  return chart;
}

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names{"it's `touch pwned`",  "'; system('touch pwned'); '",
                                              "@macro \\",           "line\nset output 'x'\n",
                                              "{/Bold x}_y^z & <b>", "=1+1",
                                              "\"quoted\", $x %s",   "日本語の名前、とても長い名前、もっと長い名前"};
  return names;
}

/// Every kind of chart with these names wherever a text can stand.
std::vector<Chart> charts_named(const std::vector<std::string>& names) {
  RadarChart radar;
  LaneChart lanes;
  PairedChart pairs;
  SpreadChart spread;
  StackedChart stacked;
  for (const std::string& name : names) {
    radar.axes.push_back({name});
    lanes.lanes.push_back({name, name, false, {{LaneChart::Band::Kind::window, 1, 2}}, {{LaneEvent::improved, 2}}});
    lanes.notes.push_back(name);
    pairs.groups.push_back({name, {{name, 1.0, 2.0, name}}});
    spread.names.push_back(name);
    stacked.bars.push_back({name, {1, 2, 3, 4}, name});
  }
  for (const std::string& name : names) {
    radar.series.push_back({name, std::vector<Estimate>(names.size(), {1.0, std::nullopt, name})});
    spread.panels.push_back({name, std::vector<SpreadChart::Row>(names.size(), {{1.0, 2.0}, 1.5, 0.7})});
  }
  lanes.last = 3;
  lanes.axis_label = lanes.end = lanes.visible_name = lanes.window_name = lanes.arrow_name = names.front();
  lanes.arrows.push_back({std::nullopt, 0, 1.0});
  pairs.first_name = pairs.second_name = pairs.axis.label = names.front();
  stacked.parts = {names[0], names[1], names[2], names[3]};
  stacked.axis_label = names.front();
  return {radar, lanes, pairs, spread, stacked};
}

bool gnuplot_is_here() {
  return run_process({"gnuplot", "--version"}, ".", {}, std::chrono::seconds(20)).outcome ==
         ProcessResult::Outcome::finished;
}

}  // namespace

TEST_CASE("radar data tell zero from below the scale and from not assessed") {
  const FigureFiles files = compose(figure_of(radar_of({{12.5, 0.0, std::nullopt}, {0.0004, 1.0 / 3.0, 100.0}})));
  CHECK(files.data ==
        "axis_id,series_id,value,state,axis,series\n"
        "1,1,12.5,value,Acted on,cards\n"
        "2,1,0,zero,Benefit,cards\n"
        "3,1,,not assessed,Harm,cards\n"
        "1,2,0.0004,below,Acted on,cards1\n"
        "2,2,0.3333333333333333,value,Benefit,cards1\n"
        "3,2,100,value,Harm,cards1\n");
  // The heatmap prints every number.
  for (const char* cell : {"'12.5'", "'0'", "'—'", "'<0.001'", "'0.33'", "'100'"}) {
    INFO(cell);
    CHECK(files.script.find(std::string("set label ") + cell) != std::string::npos);
  }
  CHECK(files.script.find("'(lower is better)'") != std::string::npos);
}

TEST_CASE("a radar says at an axis that nothing was assessed on it and only there") {
  const FigureFiles partly = compose(figure_of(radar_of({{12.5, std::nullopt, 1.0}, {1.0, 2.0, 3.0}})));
  CHECK(partly.script.find("(not assessed)") == std::string::npos);
  CHECK(partly.script.find("line broken: not assessed") != std::string::npos);
  const FigureFiles nowhere = compose(figure_of(radar_of({{12.5, std::nullopt, 1.0}, {1.0, std::nullopt, 3.0}})));
  CHECK(nowhere.script.find("(not assessed)") != std::string::npos);
  const FigureFiles whole = compose(figure_of(radar_of({{12.5, 1.0, 1.0}})));
  CHECK(whole.script.find("not assessed'") == std::string::npos);
}

TEST_CASE("a radar closes its line only between two known values") {
  const auto closing = [](const FigureFiles& files) { return count_of(files.script, "with vectors nohead linetype"); };
  CHECK(closing(compose(figure_of(radar_of({{1.0, 2.0, 3.0}})))) == 1);
  CHECK(closing(compose(figure_of(radar_of({{std::nullopt, 2.0, 3.0}})))) == 0);
  CHECK(closing(compose(figure_of(radar_of({{1.0, 2.0, std::nullopt}})))) == 0);
}

TEST_CASE("numbers that are not finite are not assessed on a radar") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const FigureFiles files = compose(figure_of(radar_of({{nan, std::numeric_limits<double>::infinity(), 1.0}})));
  CHECK(files.data.find("1,1,,not assessed") != std::string::npos);
  CHECK(files.data.find("2,1,,not assessed") != std::string::npos);
}

TEST_CASE("lane data hold every band, mark and arrow with its row") {
  LaneChart chart;
  chart.last = 9;
  chart.lanes.push_back({"", "S1 note", false, {{LaneChart::Band::Kind::visible, 2, 7}}, {{LaneEvent::delivery, 2}}});
  chart.lanes.push_back({"a heading",
                         "S2",
                         false,
                         {{LaneChart::Band::Kind::window, 3, 5}},
                         {{LaneEvent::delivery, 3}, {LaneEvent::harmed, 4}, {LaneEvent::restatement, 6}}});
  chart.lanes.push_back({"", "S3", true, {}, {}});
  chart.arrows = {{std::nullopt, 1, 3.0}, {0, 1, 3.0}, {7, 0, 1.0}};
  const FigureFiles files = compose(figure_of(chart));
  CHECK(files.data ==
        "kind,row,place,last,from_row,shift,lane\n"
        "visible,1,2,7,,,S1 note\n"
        "delivery,1,2,,,,S1 note\n"
        "window,3,3,5,,,S2\n"
        "delivery,3,3,,,,S2\n"
        "harmed,3,4,,,,S2\n"
        "restatement,3,6,,,,S2\n"
        "lane,4,,,,,S3\n"
        "arrow,3,3,,0,,S2\n"
        "arrow,3,3,,1,,S2\n");
  CHECK(files.script.find("'acted on, harmed'") != std::string::npos);
  CHECK(files.script.find("'acted on, improved'") == std::string::npos);
}

TEST_CASE("marks of different kinds at one place stand side by side") {
  LaneChart chart;
  chart.last = 3;
  chart.lanes.push_back({"",
                         "S1",
                         false,
                         {},
                         {{LaneEvent::delivery, 2},
                          {LaneEvent::harmed, 2},
                          {LaneEvent::improved, 2},
                          {LaneEvent::improved, 2},
                          {LaneEvent::mentioned, 2},
                          {LaneEvent::improved, 3}}});
  CHECK(compose(figure_of(chart)).data ==
        "kind,row,place,last,from_row,shift,lane\n"
        "delivery,1,2,,,,S1\n"
        "harmed,1,2,,,1,S1\n"
        "improved,1,2,,,,S1\n"
        "improved,1,2,,,,S1\n"
        "mentioned,1,2,,,-1,S1\n"
        "improved,1,3,,,,S1\n");
}

TEST_CASE("the shade of a spread ends where values can not be") {
  SpreadChart chart;
  chart.names = {"cards"};
  chart.panels = {{"Harm (%)", {{{0.0, 0.0, 11.0}, 11.0 / 3, 6.4}}, 0.0}};
  CHECK(compose(figure_of(chart)).script.find("panel_low = ' 0.0'") != std::string::npos);
  chart.panels[0].least.reset();
  CHECK(compose(figure_of(chart)).script.find("panel_low = ' -5.0'") != std::string::npos);
}

TEST_CASE("the line of numbers has whole numbers only") {
  LaneChart chart;
  chart.last = 2;
  chart.lanes.push_back({"", "S1", false, {}, {{LaneEvent::delivery, 1}}});
  const FigureFiles files = compose(figure_of(chart));
  CHECK(files.script.find("set label '1'") != std::string::npos);
  CHECK(files.script.find("set label '2'") != std::string::npos);
  CHECK(files.script.find("set label '1.5'") == std::string::npos);
}

TEST_CASE("pairs keep a place for zeros on a logarithmic axis") {
  PairedChart chart;
  chart.first_name = "tokens";
  chart.second_name = "benefit";
  chart.axis = {"share (%)", Scale::log};
  chart.groups = {{"cards", {{"hook (H)", 75.0, 0.0, "0 of 8"}, {"search (A)", 25.0, std::nullopt, ""}}}};
  const FigureFiles files = compose(figure_of(chart));
  CHECK(files.data ==
        "row,first,second,note,label,group\n"
        "2,75,0,0 of 8,hook (H),cards\n"
        "3,25,,,search (A),cards\n");
  CHECK(files.script.find("set xtics ('0' ") != std::string::npos);
  chart.groups[0].rows[0].second = 5.0;
  CHECK(compose(figure_of(chart)).script.find("set xtics ('0' ") == std::string::npos);
}

TEST_CASE("spread data hold every run and the mean with one deviation around it") {
  SpreadChart chart;
  chart.names = {"cards", "plain"};
  chart.panels = {{"Acted on (%)", {{{10.0, std::nullopt, 14.0}, 12.0, 2.5}, {{3.0}, 3.0, std::nullopt}}},
                  {"Benefit (%)", {}}};
  const FigureFiles files = compose(figure_of(chart));
  CHECK(files.data ==
        "kind,panel_id,row_id,run_id,runs,value,low,high,panel,name\n"
        "run,1,1,1,3,10,,,Acted on (%),cards\n"
        "run,1,1,2,3,,,,Acted on (%),cards\n"
        "run,1,1,3,3,14,,,Acted on (%),cards\n"
        "mean,1,1,,3,12,9.5,14.5,Acted on (%),cards\n"
        "run,1,2,1,1,3,,,Acted on (%),plain\n"
        "mean,1,2,,1,3,,,Acted on (%),plain\n"
        "mean,2,1,,0,,,,Benefit (%),cards\n"
        "mean,2,2,,0,,,,Benefit (%),plain\n");
  CHECK(count_of(files.script, "'not assessed'") == 1);
}

TEST_CASE("stacked shares add up and a bar of nothing has none") {
  StackedChart chart;
  chart.parts = {"improved", "no effect", "harmed"};
  chart.bars = {{"cards", {1, 2, 1}, "n = 4"}, {"plain", {}, "not assessed"}};
  const FigureFiles files = compose(figure_of(chart, Width::one_column));
  CHECK(files.data ==
        "bar_id,part_id,count,of,start,percent,part,bar\n"
        "1,1,1,4,0,25,improved,cards\n"
        "1,2,2,4,25,50,no effect,cards\n"
        "1,3,1,4,75,25,harmed,cards\n"
        "2,1,0,0,,,improved,plain\n"
        "2,2,0,0,,,no effect,plain\n"
        "2,3,0,0,,,harmed,plain\n");
  CHECK(files.script.find("'n = 4'") != std::string::npos);
  CHECK(files.script.find("'not assessed'") != std::string::npos);
}

TEST_CASE("scripts of attribution charts are nothing but settings whatever the texts say") {
  for (const Chart& chart : charts_named(hostile_names())) {
    INFO(chart.index());
    const FigureFiles files = compose(figure_of(chart));
    const std::string code = code_of(files.script);
    CHECK(code.find("touch") == std::string::npos);
    CHECK(code.find("system") == std::string::npos);
    CHECK(code.find('`') == std::string::npos);
    CHECK(code.find('@') == std::string::npos);
    CHECK(files.script.find("\nset output 'x'") == std::string::npos);
    CHECK(files.data.find("\nset output") == std::string::npos);
  }
}

TEST_CASE("charts of attribution without data are charts") {
  for (const Chart& chart :
       {Chart(RadarChart{}), Chart(LaneChart{}), Chart(PairedChart{}), Chart(SpreadChart{}), Chart(StackedChart{})}) {
    INFO(chart.index());
    CHECK(compose(figure_of(chart)).script.find("plot NaN") != std::string::npos);
  }
}

TEST_CASE("hostile charts of attribution are drawn in all forms and the same again") {
  if (!gnuplot_is_here()) {
    WARN("skipped: there is no gnuplot");
    return;
  }
  const test::TemporaryFolder first;
  const test::TemporaryFolder second;
  for (const Chart& chart : charts_named(hostile_names())) {
    Figure figure = figure_of(chart);
    figure.name += std::to_string(chart.index());
    const DrawnFigure drawn = write_figure(first.path(), figure);
    INFO(figure.name << ": " << drawn.reason);
    CHECK(drawn.drawn);
    CHECK(write_figure(second.path(), figure).drawn);
    for (const char* suffix : {".pdf", ".svg", ".png", ".csv", ".gp"}) {
      INFO(suffix);
      CHECK(test::read_file(first.path() / (figure.name + suffix)) ==
            test::read_file(second.path() / (figure.name + suffix)));
    }
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(first.path())) ++files;
  CHECK(files == 25);
}

TEST_CASE("one to eight configurations are drawn without a complaint") {
  if (!gnuplot_is_here()) {
    WARN("skipped: there is no gnuplot");
    return;
  }
  const test::TemporaryFolder folder;
  for (std::size_t count = 1; count <= 8; ++count) {
    std::vector<std::vector<std::optional<double>>> rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back({i % 3 == 2 ? std::nullopt : std::optional(0.5 * static_cast<double>(i)), 30.0, 0.0});
    }
    const DrawnFigure drawn = write_figure(folder.path(), figure_of(radar_of(rows)));
    INFO(count << ": " << drawn.reason);
    CHECK(drawn.drawn);
    CHECK(drawn.remarks.empty());
  }
}

}  // namespace memuse::figures
