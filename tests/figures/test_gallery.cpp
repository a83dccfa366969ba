#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include "figures/draw.h"
#include "figures/pareto.h"

// Draws every kind of chart into the folder that MEMUSE_GALLERY names, for people to look at:
//   MEMUSE_GALLERY=out build/debug/tests/test_figures "[.gallery]"

namespace memuse::figures {
namespace {

const std::vector<std::string> kNames{"none",       "full replay",  "vector store", "`graph_{memory}` & <b>",
                                      "summary@v2", "日本語メモリ", "=SUM(A1)\\n",  "a rather long name of a system"};

Estimate estimate(std::size_t series, std::size_t category, bool intervals) {
  const double value = 95.0 - 9.0 * static_cast<double>((series * 3 + category * 5) % 11);
  if (series == 1 && category == 1) return {};
  if (series == 2 && category == 0) return {0.0, std::nullopt, "n = 8"};
  Estimate made{value, std::nullopt, "n = " + std::to_string(8 + series * category)};
  if (intervals) made.interval = Interval{value - 6.0, std::min(100.0, value + 7.5)};
  return made;
}

CategoryChart category_chart(CategoryChart::Mark mark, std::size_t series, const std::vector<std::string>& categories,
                             bool intervals) {
  CategoryChart chart;
  chart.mark = mark;
  chart.categories = categories;
  chart.category_label = "difficulty";
  chart.axis = {"dependent tasks solved (%)", Scale::linear, 0.0, 100.0};
  for (std::size_t s = 0; s < series; ++s) {
    chart.series.push_back({kNames[s % kNames.size()], {}});
    for (std::size_t c = 0; c < categories.size(); ++c) chart.series[s].values.push_back(estimate(s, c, intervals));
  }
  return chart;
}

ScatterChart scatter(std::size_t count) {
  ScatterChart chart;
  chart.x = {"dollars per episode", Scale::log};
  chart.y = {"tasks solved (%)", Scale::linear, 0.0, 100.0};
  std::vector<std::pair<double, double>> places;
  for (std::size_t i = 0; i < count; ++i) {
    ScatterPoint point;
    point.label = kNames[i % kNames.size()];
    point.group = i % 2 == 0 ? "small model" : "large model";
    point.x = 0.004 * (1.0 + static_cast<double>(i % 5)) * (i % 3 == 0 ? 7.0 : 1.0);
    point.y = 20.0 + 7.0 * static_cast<double>((i * 5) % 11);
    places.emplace_back(point.x, point.y);
    chart.points.push_back(point);
  }
  for (const std::size_t i : pareto_front(places)) chart.front.push_back(places[i]);
  return chart;
}

}  // namespace

TEST_CASE("gallery of all charts", "[.gallery]") {
  const char* const folder = std::getenv("MEMUSE_GALLERY");
  REQUIRE(folder != nullptr);
  const std::vector<std::string> tiers{"easy", "medium", "hard"};
  const std::vector<std::string> long_names{"Single-hop question about a stated fact",
                                            "temporal_reasoning_with_update",
                                            "knowledge update",
                                            "preference",
                                            "日本語の長いカテゴリ名",
                                            "abstention"};
  for (const std::size_t series : {1U, 3U, 8U}) {
    for (const bool wide : {false, true}) {
      const std::string suffix = "-" + std::to_string(series) + (wide ? "-wide" : "");
      const auto draw = [&](const std::string& name, Chart chart) {
        const Figure figure{
            name + suffix, "A caption", wide ? Width::two_columns : Width::one_column, {}, std::move(chart)};
        const DrawnFigure drawn = write_figure(folder, figure);
        INFO(drawn.reason);
        CHECK(drawn.drawn);
        for (const std::string& remark : drawn.remarks) WARN(figure.name << ": " << remark);
      };
      using Mark = CategoryChart::Mark;
      draw("bars", category_chart(Mark::bars, series, tiers, true));
      draw("bars-long", category_chart(Mark::bars, series, long_names, false));
      draw("lines", category_chart(Mark::lines, series, tiers, true));
      draw("lines-long", category_chart(Mark::lines, series, long_names, false));
      draw("dots", category_chart(Mark::dots, series, long_names, true));
      draw("scatter", scatter(series * 3));
    }
  }
}

}  // namespace memuse::figures
