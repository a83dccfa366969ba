#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "figures/figure_files.h"
#include "report/attribution_figures.h"
#include "support/small_study.h"

// Figures over the study of support/small_study.h, whose numbers are worked out by hand here.

namespace memuse::report {
namespace {

JudgementSetRecord ada_set() {
  JudgementSetRecord set;
  set.judge = "label:ada";
  set.rules = "memuse-rules/1";
  return set;
}

std::vector<double> radar_values(const figures::Series& series) {
  std::vector<double> values;
  for (const figures::Estimate& estimate : series.values) values.push_back(estimate.value.value_or(-1.0));
  return values;
}

void check_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    INFO(i);
    CHECK(actual[i] == Approx(expected[i]).margin(1e-12));
  }
}

/// A study of `count` configurations, each with one judged span.
attribution::StudyFacts wide_study(std::size_t count) {
  std::vector<EpisodeSpansRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    records.push_back(test::attempt("c" + std::to_string(100 + i), "r1", "t1", true, 0.1));
    test::add_judged_span(records.back(), "host", "pinned", 10, 1, {{test::kImprovedEntry, {2}}});
  }
  return test::study_of(records, {}, "");
}

}  // namespace

TEST_CASE("the radar holds the six axes of every configuration with a profile") {
  const attribution::StudyFacts study = test::small_study();
  const auto drawn = radar_figures(study.profile, ada_set(), Pooling::configurations);
  REQUIRE(drawn.size() == 1);
  CHECK(drawn[0].name == "radar");
  CHECK(drawn[0].width == figures::Width::two_columns);
  const auto& chart = std::get<figures::RadarChart>(drawn[0].chart);
  REQUIRE(chart.axes.size() == 6);
  CHECK(chart.axes[5].label == "Harm");
  CHECK(chart.axes[5].lower_is_better);
  CHECK_FALSE(chart.axes[4].lower_is_better);
  REQUIRE(chart.series.size() == 2);
  CHECK(chart.series[0].name == "cards");
  // Five spans with 2, 1, 2, 1 and 3 entries.
  check_near(
      radar_values(chart.series[0]),
      {100 * (1 + 1 + 1 + 1 + 1 / 3.0) / 5, 100 * (1 / 2.0 + 1 / 3.0) / 5, 100 * (1 + 1 + 1 / 2.0 + 1 + 1 / 3.0) / 5,
       100 * (1 / 2.0 + 1 + 1 / 2.0 + 1 + 1 / 3.0) / 5, 100 * (1 / 2.0 + 1 / 3.0) / 5, 100 * 1.0 / 5});
  check_near(radar_values(chart.series[1]), {100, 0, 100, 0, 0, 0});
  CHECK(drawn[0].caption.find("Not drawn, without a profiled span: base.") != std::string::npos);
  CHECK(drawn[0].caption.find("Judge label:ada") != std::string::npos);
}

TEST_CASE("an axis that a judge does not assess has no value in any figure") {
  const attribution::StudyFacts study = test::small_study({false, false, false});
  const auto radar = radar_figures(study.profile, ada_set(), Pooling::configurations);
  const auto& all_series = std::get<figures::RadarChart>(radar.at(0).chart).series;
  REQUIRE_FALSE(all_series.empty());
  for (const figures::Series& series : all_series) {
    REQUIRE(series.values.size() > 3);
    for (const std::size_t axis : {0U, 1U, 2U}) CHECK_FALSE(series.values[axis].value.has_value());
    CHECK(series.values[3].value.has_value());
  }
  const auto variation = variation_figures(study.profile, ada_set());
  const auto& panels = std::get<figures::SpreadChart>(variation.at(0).chart).panels;
  for (const figures::SpreadChart::Row& row : panels[0].rows) {
    CHECK_FALSE(row.mean.has_value());
    for (const auto& value : row.values) CHECK_FALSE(value.has_value());
  }
}

TEST_CASE("runs have a radar of their own for each configuration") {
  const attribution::StudyFacts study = test::small_study();
  const auto drawn = radar_figures(study.profile, ada_set(), Pooling::runs);
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0].name == "radar-cards");
  CHECK(drawn[1].name == "radar-notes");
  const auto& chart = std::get<figures::RadarChart>(drawn[0].chart);
  REQUIRE(chart.series.size() == 2);
  CHECK(chart.series[0].name == "r1");
  check_near({*chart.series[0].values[5].value, *chart.series[1].values[5].value}, {100 / 3.0, 0.0});
}

TEST_CASE("no radar has more than eight lines and none is lost") {
  for (const std::size_t count : {1U, 8U, 9U, 17U}) {
    INFO(count);
    const auto drawn = radar_figures(wide_study(count).profile, ada_set(), Pooling::configurations);
    CHECK(drawn.size() == (count + 7) / 8);
    std::size_t series = 0;
    for (const figures::Figure& figure : drawn) {
      const auto& chart = std::get<figures::RadarChart>(figure.chart);
      CHECK(chart.series.size() <= kMostSeries);
      series += chart.series.size();
    }
    CHECK(series == count);
  }
}

TEST_CASE("variation holds every run with the spread over runs") {
  const attribution::StudyFacts study = test::small_study();
  const auto drawn = variation_figures(study.profile, ada_set());
  REQUIRE(drawn.size() == 1);
  const auto& chart = std::get<figures::SpreadChart>(drawn[0].chart);
  CHECK(chart.names == std::vector<std::string>{"cards", "notes"});
  REQUIRE(chart.panels.size() == 6);
  CHECK(chart.panels[5].title == "Harm (%), lower is better");
  const figures::SpreadChart::Row& cards = chart.panels[5].rows[0];
  check_near({cards.values[0].value_or(-1), cards.values[1].value_or(-1), *cards.mean, *cards.deviation},
             {100 / 3.0, 0.0, 100 / 6.0, 100 * std::sqrt(2.0) / 6.0});
  // Only one of the runs of notes has a profile.
  const figures::SpreadChart::Row& notes = chart.panels[0].rows[1];
  REQUIRE(notes.values.size() == 2);
  CHECK_FALSE(notes.values[0].has_value());
  CHECK(notes.values[1] == 100.0);
  CHECK_FALSE(notes.deviation.has_value());
}

TEST_CASE("effects are counted over what was acted on") {
  const attribution::StudyFacts study = test::small_study();
  const auto drawn = effects_figures(study, ada_set(), episode_sets(study, Pooling::configurations));
  REQUIRE(drawn.size() == 1);
  const auto& chart = std::get<figures::StackedChart>(drawn[0].chart);
  CHECK(chart.parts == std::vector<std::string>{"improved", "no effect", "harmed", "undetermined"});
  REQUIRE(chart.bars.size() == 2);
  CHECK(chart.bars[0].name == "cards");
  CHECK(chart.bars[0].counts == std::vector<std::uint64_t>{2, 1, 1, 1});
  CHECK(chart.bars[0].note == "n = 5");
  CHECK(chart.bars[1].counts == std::vector<std::uint64_t>{0, 0, 0, 0});
  CHECK(chart.bars[1].note == "n = 0");
  const auto runs = effects_figures(study, ada_set(), episode_sets(study, Pooling::runs));
  const auto& bars = std::get<figures::StackedChart>(runs.at(0).chart).bars;
  REQUIRE(bars.size() == 3);
  CHECK(bars[0].name == "cards / r1");
  CHECK(bars[0].counts == std::vector<std::uint64_t>{1, 1, 1, 0});
  CHECK(bars[1].counts == std::vector<std::uint64_t>{1, 0, 0, 1});
}

TEST_CASE("shares of forms are taken over all tokens and all beneficial entries") {
  const attribution::StudyFacts study = test::small_study();
  const auto drawn =
      forms_figures(study, ada_set(), episode_sets(study, Pooling::configurations), figures::Scale::linear);
  REQUIRE(drawn.size() == 1);
  const auto& chart = std::get<figures::PairedChart>(drawn[0].chart);
  REQUIRE(chart.groups.size() == 2);
  const auto& cards = chart.groups[0].rows;
  REQUIRE(cards.size() == 3);
  CHECK(cards[0].label == "pinned (H)");
  check_near({*cards[0].first, *cards[0].second}, {50.0, 0.0});
  CHECK(cards[1].label == "full card (A)");
  check_near({*cards[1].first, *cards[1].second}, {37.5, 0.0});
  CHECK(cards[2].label == "preview (A)");
  check_near({*cards[2].first, *cards[2].second}, {12.5, 100.0});
  CHECK(cards[2].note == "2 of 2");
  const auto& notes = chart.groups[1].rows;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].first == 100.0);
  CHECK_FALSE(notes[0].second.has_value());
  CHECK(drawn[0].caption.find("Not drawn, nothing delivered: base.") != std::string::npos);
}

TEST_CASE("a small form without benefit is counted but not drawn") {
  std::vector<EpisodeSpansRecord> records{test::attempt("cards", "r1", "t1", true, 0.1)};
  test::add_judged_span(records[0], "host", "pinned", 9989, 1, {{test::kImprovedEntry, {2}}});
  test::add_judged_span(records[0], "host", "at the border", 10, 1, {{test::kUnusedNovelEntry}});
  test::add_judged_span(records[0], "agent", "tiny", 1, 1, {{test::kUnusedNovelEntry}});
  const attribution::StudyFacts study = test::study_of(records, {}, "");
  const auto drawn = forms_figures(study, ada_set(), episode_sets(study, Pooling::configurations), figures::Scale::log);
  const auto& rows = std::get<figures::PairedChart>(drawn.at(0).chart).groups.at(0).rows;
  REQUIRE(rows.size() == 2);
  check_near({*rows[0].first, *rows[1].first}, {99.89, 0.1});
  CHECK(drawn[0].caption.find("(1 here)") != std::string::npos);
}

TEST_CASE("forms of many configurations are drawn on several pages and all of them") {
  const attribution::StudyFacts study = wide_study(50);
  const auto drawn =
      forms_figures(study, ada_set(), episode_sets(study, Pooling::configurations), figures::Scale::linear);
  CHECK(drawn.size() == 3);
  std::size_t groups = 0;
  for (const figures::Figure& figure : drawn) groups += std::get<figures::PairedChart>(figure.chart).groups.size();
  CHECK(groups == 50);
  CHECK(drawn[0].name == "forms-1");
}

TEST_CASE("effects that were not assessed are neither shares nor zeros") {
  const rules::AssessedSignals needs_probe{true, true, true};
  std::vector<EpisodeSpansRecord> records{test::attempt("cards", "r1", "t1", true, 0.1)};
  records[0].episode.has_probe = false;
  test::add_judged_span(records[0], "host", "pinned", 10, 1, {{test::kOpenEffectEntry, {2}}});
  const attribution::StudyFacts study = test::study_of(records, needs_probe, "");
  const auto sets = episode_sets(study, Pooling::configurations);
  const auto effects = effects_figures(study, ada_set(), sets);
  const auto& bar = std::get<figures::StackedChart>(effects.at(0).chart).bars.at(0);
  CHECK(bar.counts.empty());
  CHECK(bar.note == "not assessed");
  const auto forms = forms_figures(study, ada_set(), sets, figures::Scale::linear);
  const auto& row = std::get<figures::PairedChart>(forms.at(0).chart).groups.at(0).rows.at(0);
  CHECK_FALSE(row.second.has_value());
  CHECK(row.note == "not assessed");
}

TEST_CASE("a study without answers has nothing to draw but deliveries") {
  const attribution::StudyFacts study = test::study_of({test::attempt("base", "r1", "t1", true, 0.1)}, {}, "");
  const auto sets = episode_sets(study, Pooling::configurations);
  CHECK(radar_figures(study.profile, {}, Pooling::configurations).empty());
  CHECK(radar_figures(study.profile, {}, Pooling::runs).empty());
  CHECK(variation_figures(study.profile, {}).empty());
  CHECK(effects_figures(study, {}, sets).empty());
  CHECK(forms_figures(study, {}, sets, figures::Scale::linear).empty());
}

TEST_CASE("file names of figures are plain and differ") {
  CHECK(figure_file_name("a/b c\n日") == "a_b_c____");
  CHECK(figure_file_name(std::string(200, 'x')).size() == 60);
  std::vector<EpisodeSpansRecord> records;
  for (const char* name : {"a b", "a_b", "../a"}) {
    records.push_back(test::attempt(name, "r1", "t1", true, 0.1));
    test::add_judged_span(records.back(), "host", "pinned", 10, 1, {{test::kImprovedEntry, {2}}});
  }
  const auto drawn = radar_figures(test::study_of(records, {}, "").profile, ada_set(), Pooling::runs);
  REQUIRE(drawn.size() == 3);
  CHECK(drawn[0].name == "radar-___a");
  CHECK(drawn[1].name == "radar-a_b");
  CHECK(drawn[2].name == "radar-a_b-2");
  for (const figures::Figure& figure : drawn) CHECK_NOTHROW(figures::compose(figure));
}

}  // namespace memuse::report
