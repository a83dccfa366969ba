#include <catch2/catch.hpp>

#include "report/tables.h"
#include "support/small_study.h"
#include "support/table_cells.h"

using namespace memuse;
using report::Table;
using report::TableOptions;
using test::note_at;
using test::shown_at;

namespace {

TableOptions with_resamples(std::uint64_t resamples) {
  TableOptions options;
  options.resampling = {resamples, 3};
  return options;
}

}  // namespace

TEST_CASE("success: worked by hand") {
  const Table table = report::success_table(test::small_study(), {}, with_resamples(500));
  REQUIRE(test::is_rectangular(table));
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].key == "base");  // the baseline stands first
  // base: 2 of 4 in both runs; cards: 3 of 4 and 4 of 4; notes: 1 of 3 in both.
  CHECK(shown_at(table, "base", "runs") == "2");
  CHECK(shown_at(table, "base", "episodes") == "8");
  CHECK(shown_at(table, "base", "resolved") == "50.0 ± 0.0");
  CHECK(shown_at(table, "cards", "resolved") == "87.5 ± 17.7");
  CHECK(shown_at(table, "notes", "resolved") == "33.3 ± 0.0");
  // Over t1, t2 and t3: base 3 of 6, cards 5 of 6, notes 2 of 6.
  CHECK(shown_at(table, "base", "difference") == "—");
  CHECK(shown_at(table, "cards", "difference") == "33.3");
  CHECK(shown_at(table, "notes", "difference") == "-16.7");
  CHECK(note_at(table, "cards", "difference") == "few events: fewer than 10, so no interval");
  CHECK(
      table.caption.find("cards: difference on the 3 tasks in common; 1 of cards and 1 of base have no counterpart") !=
      std::string::npos);
  CHECK(shown_at(table, "base", "cost_per_episode") == "0.1000");
  CHECK(shown_at(table, "cards", "cost_per_episode") == "0.1500");
  CHECK(shown_at(table, "notes", "cost_per_episode") == "0.2000");
  CHECK(note_at(table, "notes", "cost_per_episode") == "without 1 of 6 episodes, whose cost is not known in full");
  CHECK(shown_at(table, "base", "cost_increase") == "—");
  CHECK(shown_at(table, "cards", "cost_increase") == "50.0");
  CHECK(note_at(table, "cards", "cost_increase").empty());
  CHECK(shown_at(table, "notes", "cost_increase") == "100.0");
  CHECK(note_at(table, "notes", "cost_increase") == "from costs that are partly unknown");
  for (const char* part : {"to base", "500 resamples of whole tasks (n = 3 to 4 by configuration)", "seed 3",
                           "Episodes without a result: 2 of 22", "Calls of unknown cost: 1", "paired"}) {
    INFO(part);
    CHECK(table.caption.find(part) != std::string::npos);
  }
}

TEST_CASE("success by run") {
  TableOptions options = with_resamples(0);
  options.pooling = report::Pooling::runs;
  const Table table = report::success_table(test::small_study(), {}, options);
  REQUIRE(test::is_rectangular(table));
  REQUIRE(table.rows.size() == 6);
  CHECK(shown_at(table, "r1", "resolved", "cards") == "75.0");
  CHECK(shown_at(table, "r2", "resolved", "cards") == "100.0");
  // r1 of cards: t1, t2, not t3, against 3 of 6.
  CHECK(shown_at(table, "r1", "difference", "cards") == "16.7");
  CHECK(shown_at(table, "r2", "difference", "cards") == "50.0");
  CHECK(shown_at(table, "r1", "difference", "base") == "—");
  CHECK(note_at(table, "r1", "cost_per_episode", "notes") ==
        "without 1 of 3 episodes, whose cost is not known in full");
  CHECK(note_at(table, "r2", "cost_per_episode", "notes").empty());
  CHECK(table.caption.find("no intervals were asked for") != std::string::npos);
}

TEST_CASE("success without a baseline compares nothing") {
  const Table table = report::success_table(test::small_study({}, ""), {}, with_resamples(500));
  CHECK(table.rows[0].key == "base");  // by name
  for (const char* configuration : {"base", "cards", "notes"}) {
    CHECK(shown_at(table, configuration, "difference") == "—");
    CHECK(shown_at(table, configuration, "cost_increase") == "—");
  }
  CHECK(table.caption.find("No baseline is named") != std::string::npos);
}

TEST_CASE("success: an unknown cost is a dash, one run has no deviation") {
  const auto study =
      test::study_of({test::attempt("a", "r1", "t1", true, {}), test::attempt("b", "r1", "t1", true, 2.5)}, {}, "b");
  const Table table = report::success_table(study, {}, with_resamples(100));
  CHECK(shown_at(table, "a", "resolved") == "100.0");
  CHECK(shown_at(table, "a", "cost_per_episode") == "—");
  CHECK(shown_at(table, "a", "cost_increase") == "—");
  CHECK(shown_at(table, "b", "cost_per_episode") == "2.50");
}

TEST_CASE("success: an interval that holds the difference when there are enough events") {
  std::vector<EpisodeSpansRecord> records;
  for (int task = 0; task < 40; ++task) {
    for (const char* run : {"r1", "r2"}) {
      records.push_back(test::attempt("plain", run, "t" + std::to_string(task), task % 4 == 0, 0.1));
      records.push_back(test::attempt("memory", run, "t" + std::to_string(task), task % 2 == 0, 0.2));
    }
  }
  const Table table = report::success_table(test::study_of(records, {}, "plain"), {}, with_resamples(1000));
  const report::Cell& cell = test::cell_at(table, "memory", "difference");
  CHECK(report::shown(cell).substr(0, 4) == "25.0");
  REQUIRE(cell.interval);
  // Each task adds 0 or 100 points, so the mean of 40 has a standard error of 6.8 points.
  CHECK(cell.interval->first == Approx(0.25 - 1.96 * 0.0685).margin(0.03));
  CHECK(cell.interval->second == Approx(0.25 + 1.96 * 0.0685).margin(0.03));
  CHECK(cell.note == 0);
}
