#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "figures/figure_files.h"
#include "figures/label_placement.h"
#include "figures/pareto.h"
#include "figures/script.h"
#include "figures/text_metrics.h"
#include "figures/ticks.h"
#include "model/error.h"

namespace memuse::figures {
namespace {

CategoryChart small_chart(CategoryChart::Mark mark) {
  CategoryChart chart;
  chart.mark = mark;
  chart.categories = {"easy", "hard"};
  chart.series = {{"one", {{0.1, Interval{0.05, 0.2}, "n = 3"}, {}}},
                  {"two", {{0.0, std::nullopt, ""}, {1.0 / 3.0, std::nullopt, ""}}}};
  chart.axis = {"share", Scale::linear, 0.0, 1.0};
  return chart;
}

/// What is left of a script when the texts between single quotes are taken away.
std::string without_strings(const std::string& script) {
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

}  // namespace

TEST_CASE("the data file holds every number in full and leaves missing ones empty") {
  const FigureFiles files = compose({"ladder", "", Width::one_column, {}, small_chart(CategoryChart::Mark::lines)});
  CHECK(files.data ==
        "category_id,series_id,value,low,high,note,category,series\n"
        "1,1,0.1,0.05,0.2,n = 3,easy,one\n"
        "2,1,,,,,hard,one\n"
        "1,2,0,,,,easy,two\n"
        "2,2,0.3333333333333333,,,,hard,two\n");
}

TEST_CASE("numbers that are not finite are missing") {
  CategoryChart chart = small_chart(CategoryChart::Mark::bars);
  chart.series[0].values[0].value = std::numeric_limits<double>::infinity();
  chart.series[1].values[0].value = std::numeric_limits<double>::quiet_NaN();
  const FigureFiles files = compose({"bars", "", Width::one_column, {}, chart});
  CHECK(files.data.find("inf") == std::string::npos);
  CHECK(files.data.find("nan") == std::string::npos);
}

TEST_CASE("a script is nothing but settings whatever the texts say") {
  const std::vector<std::string> hostile{"it's `touch pwned`",
                                         "'; system('touch pwned'); '",
                                         "@macro \\",
                                         "line\nset output 'x'\n",
                                         "{/Bold x}_y^z & <b>",
                                         "=1+1",
                                         "\"quoted\" $x %s",
                                         "''",
                                         "日本語"};
  for (const auto mark : {CategoryChart::Mark::bars, CategoryChart::Mark::lines, CategoryChart::Mark::dots}) {
    CategoryChart chart;
    chart.mark = mark;
    chart.categories = hostile;
    chart.category_label = hostile[1];
    chart.axis.label = hostile[0];
    for (const std::string& text : hostile) {
      chart.series.push_back({text, {}});
      for (std::size_t c = 0; c < hostile.size(); ++c) chart.series.back().values.push_back({1.0, std::nullopt, text});
    }
    const FigureFiles files = compose({"hostile", hostile[3], Width::two_columns, {}, chart});
    const std::string code = without_strings(files.script);
    CHECK(code.find("touch") == std::string::npos);
    CHECK(code.find("system") == std::string::npos);
    CHECK(code.find('`') == std::string::npos);
    CHECK(code.find('@') == std::string::npos);
    CHECK(files.script.find("\nset output 'x'") == std::string::npos);
  }
}

TEST_CASE("a text becomes a gnuplot string that ends where it should") {
  CHECK(gnuplot_text("it's") == "'it''s'");
  CHECK(gnuplot_text("a\nb") == "'a\\nb'");
  CHECK(gnuplot_text("back\\") == "'back\\'");
  CHECK(gnuplot_text("a'") == "'a'''");
  // gnuplot 5.4 fails on an escaped quote at the start of a string, and on two in a row.
  CHECK(gnuplot_text("'a") == "''.\"\\047\".'a'");
  CHECK(gnuplot_text("a''b") == "'a'.\"\\047\\047\".'b'");
  CHECK(gnuplot_lines({"a", "b"}) == "'a'.\"\\n\".'b'");
  CHECK(number(3.0) == "3.0");
  CHECK(number(-0.25) == "-0.25");
  CHECK(number(1e300) == "1e+300");
}

TEST_CASE("a figure's name must be a plain file name") {
  for (const std::string name : {"", "../up", "a/b", ".hidden", "-flag", "a b", "a'b"}) {
    INFO(name);
    CHECK_THROWS_AS(compose({name, "", Width::one_column, {}, CategoryChart{}}), Error);
  }
}

TEST_CASE("charts without data are charts") {
  for (const auto mark : {CategoryChart::Mark::bars, CategoryChart::Mark::lines, CategoryChart::Mark::dots}) {
    CategoryChart chart;
    chart.mark = mark;
    CHECK(compose({"empty", "", Width::one_column, {}, chart}).script.find("plot NaN") != std::string::npos);
  }
  CHECK(compose({"empty", "", Width::one_column, {}, ScatterChart{}}).script.find("plot NaN") != std::string::npos);
}

TEST_CASE("a log axis says what it can not hold") {
  ScatterChart chart;
  chart.x.scale = Scale::log;
  chart.points = {{"free", "", 0.0, 1.0, {}, {}}, {"paid", "", 2.0, 3.0, {}, {}}};
  const FigureFiles files = compose({"cost", "", Width::one_column, {}, chart});
  REQUIRE(files.remarks.size() == 1);
  CHECK(files.remarks[0].find("1 of 2 points") != std::string::npos);
  CHECK(files.data.find("1,0,1,,,,,free,") != std::string::npos);
}

TEST_CASE("an axis holds all values and the bounds it was given") {
  const ScaledAxis axis = scale_axis({"", Scale::linear, 0.0, 100.0}, {12.0, 103.0}, 5);
  CHECK(axis.low == 0.0);
  CHECK(axis.high >= 103.0);
  CHECK(scale_axis({"", Scale::linear, 0.0, 100.0}, {12.0}, 5).high == 100.0);
  const ScaledAxis flat = scale_axis({}, {7.0, 7.0}, 5);
  CHECK(flat.low < 7.0);
  CHECK(flat.high > 7.0);
  for (const double far : {1e16, -1e300, 1e-300}) {
    const ScaledAxis remote = scale_axis({}, {far, far * (1.0 + 1e-15)}, 6);
    CHECK(remote.ticks.size() < 30);
  }
  const ScaledAxis log = scale_axis({"", Scale::log, {}, {}}, {0.001, 10.0}, 6);
  CHECK(log.low < 0.001);
  CHECK(log.fraction(0.001) > 0.0);
  CHECK(log.fraction(10.0) < 1.0);
}

TEST_CASE("a log axis ends at the largest and the smallest number") {
  const double most = std::numeric_limits<double>::max();
  for (const std::vector<double>& values :
       {std::vector{1.0, most}, std::vector{most, most}, std::vector{5e-324, most}}) {
    const ScaledAxis axis = scale_axis({"", Scale::log, {}, {}}, values, 6);
    CHECK(axis.high == most);
    CHECK(axis.low > 0.0);
    CHECK(axis.fraction(most) == 1.0);
    for (const Tick& tick : axis.ticks) CHECK(std::isfinite(tick.place));
  }
}

TEST_CASE("the front keeps the points that nothing beats") {
  CHECK(pareto_front({{1, 5}, {2, 5}, {2, 7}, {3, 6}, {4, 9}}) == std::vector<std::size_t>{0, 2, 4});
  CHECK(pareto_front({{1, 1}, {1, 1}, {1, 2}}) == std::vector<std::size_t>{2});
  CHECK(pareto_front({}).empty());
  // Against the definition, on all points of a small grid.
  for (std::uint32_t mask = 1; mask < (1U << 9U); ++mask) {
    std::vector<std::pair<double, double>> points;
    for (std::uint32_t i = 0; i < 9; ++i) {
      if ((mask >> i) & 1U) points.emplace_back((i * 7) % 9 / 3, (i * 7) % 9 % 3);
    }
    std::size_t unbeaten = 0;
    for (const auto& p : points) {
      bool beaten = false;
      for (const auto& q : points) {
        beaten = beaten || (q.first <= p.first && q.second >= p.second && q != p);
      }
      if (!beaten) ++unbeaten;
    }
    CHECK(pareto_front(points).size() == unbeaten);
  }
}

TEST_CASE("labels touch neither each other nor a marker") {
  std::vector<Spot> points;
  std::vector<LabelSize> sizes;
  for (int i = 0; i < 40; ++i) {
    points.push_back({20.0 + (i * 37) % 160, 20.0 + (i * 53) % 110});
    sizes.push_back({18.0 + i % 7 * 5.0, 7.0});
  }
  const Box area{0.0, 200.0, 0.0, 150.0};
  const auto places = place_labels(points, sizes, 3.0, area);
  std::size_t placed = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    ++placed;
    CHECK(places[i]->left >= area.left);
    CHECK(places[i]->top <= area.top);
    for (const Spot& point : points) {
      CHECK_FALSE(overlap(*places[i], {point.x - 3.0, point.x + 3.0, point.y - 3.0, point.y + 3.0}));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (places[j]) CHECK_FALSE(overlap(*places[i], *places[j]));
    }
  }
  CHECK(placed >= 15);
}

TEST_CASE("texts are cut and wrapped to the width") {
  CHECK(fit_text("short", 8.0, 100.0) == "short");
  CHECK(text_width(fit_text("a name that is too long for its place", 8.0, 60.0), 8.0) <= 60.0);
  for (const std::string& line : wrap_text("several words that need some lines", 8.0, 50.0, 4)) {
    CHECK(text_width(line, 8.0) <= 50.0);
  }
  CHECK(wrap_text("one two three four five six seven", 8.0, 30.0, 2).size() == 2);
  CHECK(wrap_text("x", 8.0, 0.5, 3).size() == 1);
  CHECK(drawable("a\x01"
                 "b\xee\x80\x80") == "a\\x01b\\ue000");
}

}  // namespace memuse::figures
