#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

#include "figures/draw.h"

// As test_gallery.cpp, for the charts of attribution.

namespace memuse::figures {
namespace {

const std::vector<std::string> kConfigurations{
    "cards",        "`diary_{v2}` & <b>",
    "vector store", "日本語メモリ構成",
    "=SUM(A1)\\n",  "a configuration with a rather long name, and more of it",
    "graph@night",  "none"};

void draw(const std::string& name, Chart chart, Width width = Width::two_columns) {
  const char* const folder = std::getenv("MEMUSE_GALLERY");
  REQUIRE(folder != nullptr);
  const DrawnFigure drawn = write_figure(folder, {name, "A caption", width, {}, std::move(chart)});
  INFO(drawn.reason);
  CHECK(drawn.drawn);
  for (const std::string& remark : drawn.remarks) WARN(name << ": " << remark);
}

RadarChart radar(std::size_t count, bool gaps) {
  RadarChart chart;
  chart.axes = {{"Relevance"}, {"Corroboration"}, {"Information gain"}, {"Acted on"}, {"Benefit"}, {"Harm", true}};
  const double start[] = {92.0, 61.3, 38.0, 7.12, 0.93, 0.041};
  for (std::size_t s = 0; s < count; ++s) {
    Series series{kConfigurations[s], {}};
    for (std::size_t a = 0; a < 6; ++a) {
      Estimate estimate;
      estimate.value = start[a] / std::pow(1.9, static_cast<double>((s * 3 + a * s) % 7));
      if (s % 3 == 1 && a == 5) estimate.value = 0.0;
      if (s % 3 == 2 && a == 5) estimate.value = 0.0004;
      if (gaps && (a < 2 || (s == 1 && a == 3))) estimate.value.reset();
      series.values.push_back(estimate);
    }
    chart.series.push_back(series);
  }
  return chart;
}

LaneChart lanes(std::size_t count, std::uint64_t steps) {
  using Band = LaneChart::Band;
  LaneChart chart;
  chart.axis_label = "step";
  chart.visible_name = "visible";
  chart.window_name = "credit window";
  chart.arrow_name = "first read";
  chart.last = steps;
  chart.end = "resolved";
  for (std::size_t i = 0; i < count; ++i) {
    LaneChart::Lane lane;
    lane.label = "S" + std::to_string(i + 1) + "  " + (i % 5 == 4 ? kConfigurations[5] : "note-" + std::to_string(i));
    const double first = 1.0 + static_cast<double>((i * steps) / (count + 1));
    const double last = std::min(static_cast<double>(steps), first + static_cast<double>(steps) / 3.0);
    lane.bands = {{Band::Kind::visible, first, std::floor(last)}};
    if (i % 4 != 3) lane.bands.push_back({Band::Kind::window, first, std::floor((first + last) / 2)});
    lane.marks = {{LaneEvent::delivery, first}, {LaneEvent::restatement, std::floor(last)}};
    lane.marks.push_back({static_cast<LaneEvent>(5 + i % 5), std::floor((first * 2 + last) / 3)});
    lane.follows = i % 6 == 5;
    chart.arrows.push_back({std::nullopt, i, first});
    chart.lanes.push_back(lane);
  }
  return chart;
}

PairedChart pairs(std::size_t groups, Scale scale) {
  PairedChart chart;
  chart.first_name = "delivered tokens";
  chart.second_name = "beneficial entries";
  chart.axis = {"share (%)", scale};
  if (scale == Scale::linear) chart.axis.low = 0.0;
  for (std::size_t g = 0; g < groups; ++g) {
    PairedChart::Group group{groups > 1 ? kConfigurations[g] : "", {}};
    group.rows = {{"task recall (H)", 71.0, 12.5, "4 of 32"},
                  {"hook (H)", 24.2, 0.0, "0 of 32"},
                  {"search result (A)", 4.75, 81.25, "26 of 32"},
                  {"file read through a shell, and a long name (A)", 0.05, 6.25, "2 of 32"}};
    if (g == 1) group.rows[2].second.reset();
    chart.groups.push_back(group);
  }
  return chart;
}

SpreadChart spread(std::size_t count) {
  SpreadChart chart;
  chart.names.assign(kConfigurations.begin(), kConfigurations.begin() + static_cast<std::ptrdiff_t>(count));
  const std::vector<std::string> titles{"Relevance (%)", "Corroboration (%)", "Information gain (%)",
                                        "Acted on (%)",  "Benefit (%)",       "Harm (%), lower is better"};
  for (std::size_t p = 0; p < titles.size(); ++p) {
    SpreadChart::Panel panel{titles[p], {}};
    for (std::size_t r = 0; r < count; ++r) {
      SpreadChart::Row row;
      const double base = 60.0 / std::pow(3.0, static_cast<double>(p)) + static_cast<double>(r) * 0.3;
      if (p == 1) {
        panel.rows.push_back(row);
        continue;
      }
      for (std::size_t run = 0; run < 4; ++run) {
        row.values.emplace_back(base * (1.0 + 0.05 * static_cast<double>((run * 7 + r) % 4)));
      }
      row.mean = base * 1.075;
      row.deviation = base * 0.06;
      panel.rows.push_back(row);
    }
    chart.panels.push_back(panel);
  }
  return chart;
}

StackedChart stacked(std::size_t count) {
  StackedChart chart;
  chart.parts = {"improved", "no effect", "harmed", "undetermined"};
  chart.axis_label = "acted-on entries (%)";
  for (std::size_t b = 0; b < count; ++b) {
    chart.bars.push_back({kConfigurations[b], {12 + b, 40 - 3 * b, 1 + b % 3 * 5, 9}, "n = 62"});
  }
  if (count > 2) chart.bars[2] = {"nothing", {0, 0, 0, 0}, "n = 0"};
  return chart;
}

}  // namespace

TEST_CASE("gallery of the charts of attribution", "[.gallery]") {
  for (const std::size_t count : {1U, 2U, 5U, 8U}) {
    const std::string suffix = "-" + std::to_string(count);
    draw("radar" + suffix, radar(count, false));
    draw("radar-gaps" + suffix, radar(count, true));
    draw("radar-narrow" + suffix, radar(count, false), Width::one_column);
    draw("paired" + suffix, pairs(count, Scale::linear));
    draw("paired-log" + suffix, pairs(count, Scale::log));
    draw("spread" + suffix, spread(count));
    draw("stacked" + suffix, stacked(count), Width::one_column);
    draw("stacked-wide" + suffix, stacked(count));
  }
  draw("lanes-5", lanes(2, 5));
  draw("lanes-60", lanes(12, 60));
  draw("lanes-500", lanes(40, 500));
}

}  // namespace memuse::figures
