#include <catch2/catch.hpp>

#include "model/error.h"
#include "report/tables.h"
#include "support/small_study.h"
#include "support/table_cells.h"

using namespace memuse;
using report::Table;
using test::shown_at;

namespace {

std::string row_of(const Table& table, const std::string& key, const std::string& group) {
  std::string cells;
  for (const report::Column& column : table.columns) {
    cells += (cells.empty() ? "" : " | ") + shown_at(table, key, column.key, group);
  }
  return cells;
}

}  // namespace

TEST_CASE("difficulty: worked by hand") {
  const Table table = report::difficulty_table(test::small_study(), {}, {});
  REQUIRE(test::is_rectangular(table));
  // Of base, t3 is solved in no run, t2 in one, t1 in both; t5 has an unknown outcome in r2.
  CHECK(row_of(table, "0", "cards") == "0 of 2 | 1 | 2 | 50.0 | 2 | 100.0 | 1 | 50.0");
  CHECK(row_of(table, "1", "cards") == "1 of 2 | 1 | 2 | 100.0 | 1 | 50.0 | 0 | 0.0");
  CHECK(row_of(table, "2", "cards") == "2 of 2 | 1 | 2 | 100.0 | 2 | 100.0 | 1 | 50.0");
  CHECK(row_of(table, "not_known", "cards") == "not known | 1 | 0 | — | 0 | — | 0 | —");
  CHECK(row_of(table, "0", "notes") == "0 of 2 | 1 | 2 | 0.0 | 0 | 0.0 | 0 | 0.0");
  CHECK(row_of(table, "0", "All 2 configurations") == "0 of 2 | 1 | 4 | 25.0 | 2 | 50.0 | 1 | 25.0");
  CHECK(row_of(table, "1", "All 2 configurations") == "1 of 2 | 1 | 4 | 75.0 | 1 | 25.0 | 0 | 0.0");
  CHECK(row_of(table, "2", "All 2 configurations") == "2 of 2 | 1 | 4 | 75.0 | 2 | 50.0 | 1 | 25.0");
  for (const char* part : {"the 2 runs of base", "Left out, as the baseline does not have their tasks: 2 episodes",
                           "Episodes without a result: 1.", "Not known"}) {
    INFO(part);
    CHECK(table.caption.find(part) != std::string::npos);
  }
}

TEST_CASE("difficulty: what was not assessed is a dash") {
  auto records = test::small_study_records();
  for (auto& record : records) record.episode.has_probe = false;
  const Table table = report::difficulty_table(test::study_of(records, {true, true, true}), {}, {});
  CHECK(shown_at(table, "0", "acted_on", "cards") == "2");
  CHECK(shown_at(table, "0", "beneficial", "cards") == "—");
  CHECK(shown_at(table, "0", "beneficial_share", "cards") == "—");
}

TEST_CASE("difficulty without a baseline says what to do") {
  CHECK_THROWS_AS(report::difficulty_table(test::small_study({}, ""), {}, {}), Error);
  CHECK_THROWS_AS(report::difficulty_table(test::small_study({}, "nobody"), {}, {}), Error);
}
