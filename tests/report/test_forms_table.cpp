#include <catch2/catch.hpp>

#include "report/tables.h"
#include "support/small_study.h"
#include "support/table_cells.h"

using namespace memuse;
using report::Table;
using report::TableOptions;
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

TEST_CASE("forms: worked by hand") {
  const Table table = report::forms_table(test::small_study(), {}, {});
  REQUIRE(test::is_rectangular(table));
  REQUIRE(table.rows.size() == 4);
  // Of 160 tokens: pinned 2 × 40, full card 2 × 30, preview 2 × 10; most tokens first.
  CHECK(table.rows[0].key == "pinned/host");
  CHECK(row_of(table, "pinned/host", "cards") == "pinned | H | 2 | 50.00 | 0.00 | 2 | 100.00 | 50.00 | 0");
  CHECK(row_of(table, "full card/agent", "cards") == "full card | A | 2 | 37.50 | 0.00 | 2 | 100.00 | 100.00 | 1");
  CHECK(row_of(table, "preview/agent", "cards") == "preview | A | 2 | 12.50 | 100.00 | 4 | 75.00 | 50.00 | 0");
  // No beneficial entry, so there is no share of them.
  CHECK(row_of(table, "pinned/host", "notes") == "pinned | H | 1 | 100.00 | — | 1 | 100.00 | 0.00 | 0");
}

TEST_CASE("forms: configurations in a group count as one") {
  TableOptions options;
  options.groups = {{"memory", {"cards", "notes"}}};
  const Table table = report::forms_table(test::small_study(), {}, options);
  REQUIRE(table.rows.size() == 3);
  // 260 tokens, 180 of them pinned in 3 deliveries; 3 assessed entries, all relevant, one acted on.
  CHECK(row_of(table, "pinned/host", "memory") == "pinned | H | 3 | 69.23 | 0.00 | 3 | 100.00 | 33.33 | 0");
  CHECK(table.caption.find("memory: cards, notes.") != std::string::npos);
}

TEST_CASE("forms by run") {
  TableOptions options;
  options.pooling = report::Pooling::runs;
  const Table table = report::forms_table(test::small_study(), {}, options);
  CHECK(shown_at(table, "preview/agent", "token_share", "cards / r1") == "8.33");  // 10 of 120
  CHECK(shown_at(table, "preview/agent", "token_share", "cards / r2") == "25.00");
}

TEST_CASE("forms: one name under two routes is two forms") {
  auto record = test::attempt("c", "r1", "t1", true, 0.1);
  test::add_judged_span(record, "host", "card", 10, 1, {{test::kImprovedEntry, {1}}});
  test::add_judged_span(record, "agent", "card", 30, 2, {{test::kReferencedEntry, {2}}});
  const Table table = report::forms_table(test::study_of({record}, {}, ""), {}, {});
  CHECK(shown_at(table, "card/host", "token_share", "c") == "25.00");
  CHECK(shown_at(table, "card/agent", "token_share", "c") == "75.00");
  CHECK(shown_at(table, "card/host", "beneficial_share", "c") == "100.00");
}

TEST_CASE("forms: what was not assessed is a dash") {
  auto records = test::small_study_records();
  for (auto& record : records) record.episode.has_probe = false;
  const Table table = report::forms_table(test::study_of(records, {false, true, true}), {}, {});
  CHECK(row_of(table, "preview/agent", "cards") == "preview | A | 2 | 12.50 | — | 4 | — | 50.00 | —");
}

TEST_CASE("forms with intervals") {
  std::vector<EpisodeSpansRecord> records;
  for (int task = 0; task < 30; ++task) {
    auto record = test::attempt("c", "r1", "t" + std::to_string(task), true, 0.1);
    test::add_judged_span(record, "host", "pinned", 10, 1,
                          {{task < 15 ? test::kImprovedEntry : test::kNoEffectEntry, {1}}});
    test::add_judged_span(record, "agent", "card", task % 2 == 0 ? 10 : 30, 1, {{test::kReferencedEntry, {1}}});
    records.push_back(record);
  }
  TableOptions options;
  options.intervals = true;
  options.resampling = {1000, 2};
  const Table table = report::forms_table(test::study_of(records, {}, ""), {}, options);
  const report::Cell& tokens = test::cell_at(table, "card/agent", "token_share", "c");
  CHECK(tokens.value == Approx(600.0 / 900.0));
  REQUIRE(tokens.interval);
  CHECK(tokens.interval->first < tokens.value);
  CHECK(tokens.interval->second > tokens.value);
  // All tasks are alike here, so the rate does not vary.
  CHECK(shown_at(table, "pinned/host", "acted_on_rate", "c") == "100.00 [100.00, 100.00]");
  CHECK(test::note_at(table, "card/agent", "acted_on_rate", "c") == "few events: fewer than 10, so no interval");
}
