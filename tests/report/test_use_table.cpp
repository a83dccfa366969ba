#include <catch2/catch.hpp>

#include "report/tables.h"
#include "support/small_study.h"
#include "support/table_cells.h"

using namespace memuse;
using report::Table;
using report::TableOptions;
using test::note_at;
using test::shown_at;

TEST_CASE("use: worked by hand") {
  const Table table = report::use_table(test::small_study(), {}, {});
  REQUIRE(test::is_rectangular(table));
  const auto cards = [&table](const char* row) { return shown_at(table, row, "cards"); };
  CHECK(cards("relevant") == "7");
  CHECK(cards("unused_share") == "28.57");              // 2 of 7
  CHECK(cards("novel_among_unused_share") == "50.00");  // 1 of 2
  CHECK(cards("acted_on") == "5");
  CHECK(cards("improved_share") == "40.00");  // 2 of 5
  CHECK(cards("no_effect_share") == "20.00");
  CHECK(cards("harmed_share") == "20.00");
  CHECK(cards("undetermined_share") == "20.00");
  CHECK(cards("delay_median") == "2.0");  // 0, 2, 2, 3, 8
  CHECK(cards("delay_lower_quartile") == "2.0");
  CHECK(cards("delay_upper_quartile") == "3.0");
  CHECK(cards("delay_max") == "8");
  CHECK(cards("beneficial_episodes") == "2");
  CHECK(cards("beneficial_known") == "2");
  CHECK(cards("beneficial_failed_share") == "0.00");
  CHECK(cards("harmful_episodes") == "1");
  CHECK(cards("harmful_known") == "1");
  CHECK(cards("harmful_succeeded") == "1");
  CHECK(cards("harmful_succeeded_share") == "100.00");
  // Nothing acted on: counts are 0, what would divide by them is not.
  CHECK(shown_at(table, "acted_on", "notes") == "0");
  CHECK(shown_at(table, "improved_share", "notes") == "—");
  CHECK(shown_at(table, "delay_median", "notes") == "—");
  CHECK(shown_at(table, "unused_share", "notes") == "0.00");
  CHECK(shown_at(table, "novel_among_unused_share", "notes") == "—");
  for (const report::Row& row : table.rows) CHECK(shown_at(table, row.key, "base") == "—");
  CHECK(table.notes.empty());
  CHECK(table.caption.find("In brackets") == std::string::npos);
}

TEST_CASE("use: what the judge does not assess is a dash") {
  const Table no_relevance = report::use_table(test::small_study({false, false, false}), {}, {});
  for (const char* row : {"relevant", "unused_share", "novel_among_unused_share"}) {
    CHECK(shown_at(no_relevance, row, "cards") == "—");
  }
  CHECK(shown_at(no_relevance, "acted_on", "cards") == "5");
  auto records = test::small_study_records();
  for (auto& record : records) record.episode.has_probe = false;
  const Table no_effects = report::use_table(test::study_of(records, {true, true, true}), {}, {});
  for (const char* row : {"improved_share", "no_effect_share", "harmed_share", "beneficial_episodes",
                          "beneficial_failed_share", "harmful_episodes", "harmful_succeeded"}) {
    INFO(row);
    CHECK(shown_at(no_effects, row, "cards") == "—");
  }
  CHECK(shown_at(no_effects, "undetermined_share", "cards") == "20.00");
}

TEST_CASE("use: an unknown outcome is in no share and an episode with both is in both groups") {
  auto record = test::attempt("c", "r1", "t1", {}, 0.1);
  test::add_judged_span(record, "host", "pinned", 5, 1, {{test::kImprovedEntry, {1}}, {test::kHarmedEntry, {2}}});
  const Table table = report::use_table(test::study_of({record}, {}, ""), {}, {});
  CHECK(shown_at(table, "beneficial_episodes", "c") == "1");
  CHECK(shown_at(table, "harmful_episodes", "c") == "1");
  CHECK(shown_at(table, "beneficial_known", "c") == "0");
  CHECK(shown_at(table, "beneficial_failed_share", "c") == "—");
  CHECK(shown_at(table, "harmful_succeeded_share", "c") == "—");
}

TEST_CASE("use with intervals: a mark where events are few and an interval elsewhere") {
  std::vector<EpisodeSpansRecord> records;
  for (int task = 0; task < 30; ++task) {
    auto record = test::attempt("c", "r1", "t" + std::to_string(task), true, 0.1);
    test::add_judged_span(record, "host", "pinned", 5, 1,
                          {{task < 12 ? test::kImprovedEntry : test::kNoEffectEntry, {1}},
                           {task < 3 ? test::kUnusedNovelEntry : test::kReferencedEntry, {2}}});
    records.push_back(record);
  }
  TableOptions options;
  options.intervals = true;
  options.resampling = {1000, 5};
  const Table table = report::use_table(test::study_of(records, {}, ""), {}, options);
  const report::Cell& improved = test::cell_at(table, "improved_share", "c");
  CHECK(improved.value == Approx(0.4));
  REQUIRE(improved.interval);
  CHECK(improved.interval->first == Approx(0.4 - 1.96 * 0.0894).margin(0.04));
  CHECK(note_at(table, "unused_share", "c") == "few events: fewer than 10, so no interval");
  CHECK_FALSE(test::cell_at(table, "unused_share", "c").interval);
  CHECK(table.caption.find(
            "In brackets: 95 % bootstrap intervals (percentile), 1,000 resamples of whole tasks (n = 30), seed 5.") !=
        std::string::npos);
}

TEST_CASE("use by run") {
  TableOptions options;
  options.pooling = report::Pooling::runs;
  const Table table = report::use_table(test::small_study(), {}, options);
  CHECK(shown_at(table, "acted_on", "cards/r1") == "3");
  CHECK(shown_at(table, "acted_on", "cards/r2") == "2");
  CHECK(shown_at(table, "delay_max", "cards/r2") == "3");
}
