#include <catch2/catch.hpp>

#include "report/tables.h"
#include "support/small_study.h"
#include "support/table_cells.h"

using namespace memuse;
using report::Table;
using report::TableOptions;

namespace {

/// 40 tasks in two runs: every second span has an entry that was acted on.
attribution::StudyFacts even_study() {
  std::vector<EpisodeSpansRecord> records;
  for (const char* run : {"r1", "r2"}) {
    for (int task = 0; task < 40; ++task) {
      auto record = test::attempt("c", run, "t" + std::to_string(task), task % 2 == 0, 0.1);
      test::add_judged_span(record, "host", "pinned", 10, 1,
                            {{task % 2 == 0 ? test::kImprovedEntry : test::kUnusedNovelEntry, {1}},
                             {task == 7 ? test::kHarmedEntry : test::kUnusedKnownEntry, {1}}});
      records.push_back(record);
    }
  }
  return test::study_of(records, {}, "");
}

}  // namespace

TEST_CASE("profile without intervals is the profile of the rules") {
  const auto study = test::small_study();
  const Table plain = report::profile_table(study.profile, {});
  const Table table = report::profile_table(study, {}, TableOptions{});
  CHECK(report::to_json(table) == report::to_json(plain));
}

TEST_CASE("profile with intervals keeps every value and adds what the resamples say") {
  const auto study = even_study();
  TableOptions options;
  options.intervals = true;
  options.resampling = {1000, 4};
  const Table plain = report::profile_table(study.profile, {});
  const Table table = report::profile_table(study, {}, options);
  REQUIRE(table.rows.size() == plain.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    CHECK(table.rows[i].cells[1].value == plain.rows[i].cells[1].value);
  }
  const report::Cell& benefit = test::cell_at(table, "benefit", "c");
  CHECK(benefit.value == 0.25);
  REQUIRE(benefit.interval);
  // A task's share is 0 or 1/2: standard error 0.25 / sqrt(40).
  CHECK(benefit.interval->first == Approx(0.25 - 1.96 * 0.0395).margin(0.015));
  CHECK(benefit.interval->second == Approx(0.25 + 1.96 * 0.0395).margin(0.015));
  CHECK(test::note_at(table, "harm", "c") == "few events: fewer than 10, so no interval");
  const report::Cell& yield = test::cell_at(table, "beneficial_yield", "c");
  REQUIRE(yield.interval);
  CHECK(yield.value == 50.0);
  CHECK(yield.interval->first > 30.0);
  CHECK_FALSE(test::cell_at(table, "episodes", "c").interval);
  CHECK(table.caption.find("1,000 resamples of whole tasks (n = 40), seed 4") != std::string::npos);
}

TEST_CASE("a dash stays a dash with intervals") {
  TableOptions options;
  options.intervals = true;
  options.resampling = {100, 4};
  const Table table = report::profile_table(test::small_study(), {}, options);
  CHECK(test::shown_at(table, "benefit", "base") == "—");
  CHECK(test::cell_at(table, "benefit", "base").note == 0);
}
