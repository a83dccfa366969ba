#include "report/origins_table.h"

#include <catch2/catch.hpp>

using namespace memuse;
using report::Cell;
using report::Table;

namespace {

graph::EpisodeNode episode(const std::string& id, std::uint64_t position, std::optional<bool> resolved,
                           const std::string& repo) {
  graph::EpisodeNode node;
  node.uid = id;
  node.store = "default";
  node.episode = id;
  node.position = position;
  node.resolved = resolved;
  node.repo = repo;
  return node;
}

graph::Change made(std::size_t in, const std::string& item) {
  graph::Change change;
  change.episode = in;
  change.item = item;
  change.version = item + ".1";
  change.operation = "gen-" + item;
  change.line_order = 5;
  return change;
}

graph::Exposure shown(std::size_t in, const std::string& item) {
  graph::Exposure exposure;
  exposure.episode = in;
  exposure.span = 2;
  exposure.item = item;
  exposure.version = item + ".1";
  exposure.line_order = 9;
  return exposure;
}

/// Five beneficial entries: three traced (two of failed episodes, one of another repository; gaps 4, 4, 1), one of the
/// same episode, one without a creator.
graph::RunOrigins run(const std::string& configuration, const std::string& name) {
  graph::RunOriginFacts facts;
  facts.configuration = configuration;
  facts.run = name;
  facts.judged = true;
  facts.records_creation = true;
  facts.episodes = {episode("e1", 1, false, "meadow/clock"), episode("e4", 4, true, "meadow/tinycal"),
                    episode("e5", 5, true, "meadow/tinycal")};
  facts.changes = {made(0, "A"), made(1, "B"), made(2, "C")};
  facts.exposures = {shown(2, "A"), shown(2, "A"), shown(2, "B"), shown(2, "C"), shown(2, "Z")};
  facts.exposures[1].entry = 1;
  return graph::run_origins(std::move(facts));
}

graph::RunOrigins bare(const std::string& configuration, bool judged) {
  graph::RunOriginFacts facts;
  facts.configuration = configuration;
  facts.run = "r1";
  facts.judged = judged;
  return graph::run_origins(std::move(facts));
}

std::string cell(const Table& table, const std::string& row_key, std::size_t column) {
  for (const auto& row : table.rows) {
    if (row.key == row_key) return report::shown(row.cells.at(column));
  }
  FAIL("no row " << row_key);
  return {};
}

JudgementSetRecord tracer() {
  JudgementSetRecord set;
  set.judge = "tracer/1";
  set.rules = "memuse-rules/1";
  return set;
}

}  // namespace

TEST_CASE("origins: counts, shares and the median gap as worked out by hand") {
  report::OriginsTable origins(report::Pooling::configurations);
  origins.add(run("cards", "r1"));
  origins.add(run("cards", "r2"));
  origins.add(bare("none", true));
  origins.add(bare("quiet", false));
  const Table table = origins.finish(tracer());
  REQUIRE(table.columns.size() == 4);
  CHECK(cell(table, "beneficial", 1) == "10");
  CHECK(cell(table, "traced", 1) == "6");
  CHECK(cell(table, "traced_share", 1) == "60.0");
  CHECK(cell(table, "same_episode", 1) == "2");
  CHECK(cell(table, "untraced", 1) == "2");
  CHECK(cell(table, "outcome_known", 1) == "6");
  CHECK(cell(table, "from_failed", 1) == "4");
  CHECK(cell(table, "from_failed_share", 1) == "66.7");
  CHECK(cell(table, "from_another_repository", 1) == "4");
  CHECK(cell(table, "median_gap", 1) == "4.0");  // of 1, 1, 4, 4, 4, 4
  // Without a recorded creation nothing is said of origins; without a judgement nothing at all.
  CHECK(cell(table, "beneficial", 2) == "0");
  CHECK(cell(table, "traced", 2) == "—");
  CHECK(cell(table, "median_gap", 2) == "—");
  CHECK(cell(table, "beneficial", 3) == "—");
  CHECK_THAT(table.caption, Catch::Contains("Not traced: 2 without a recorded creator.") &&
                                Catch::Contains("declared for all traced entries") &&
                                Catch::Contains("2 configurations record no creation") &&
                                Catch::Contains("Judge tracer/1"));
}

TEST_CASE("origins per run has a column for each run") {
  report::OriginsTable origins(report::Pooling::runs);
  origins.add(run("cards", "r1"));
  origins.add(run("cards", "r2"));
  const Table table = origins.finish(tracer());
  REQUIRE(table.columns.size() == 3);
  CHECK(table.columns[1].key == "cards/r1");
  CHECK(cell(table, "traced", 2) == "3");
  CHECK(cell(table, "median_gap", 2) == "4.0");
}

TEST_CASE("the list of origins has a row for each beneficial entry") {
  report::OriginsList list;
  list.add(run("cards", "r1"));
  const Table table = std::move(list).finish(tracer());
  REQUIRE(table.rows.size() == 5);
  const auto& traced = table.rows[0].cells;
  CHECK(report::shown(traced[3]) == "e5");
  CHECK(report::shown(traced[4]) == "S2 E0");
  CHECK(report::shown(traced[7]) == "earlier episode");
  CHECK(report::shown(traced[8]) == "1");
  CHECK(report::shown(traced[9]) == "e1");
  CHECK(report::shown(traced[10]) == "gen-A");
  CHECK(report::shown(traced[11]) == "failed");
  CHECK(report::shown(traced[12]) == "meadow/clock");
  CHECK(report::shown(traced[13]) == "4");
  const auto& unknown = table.rows[4].cells;
  CHECK(report::shown(unknown[7]) == "not recorded");
  CHECK(report::shown(unknown[9]) == "—");
  CHECK(report::shown(unknown[14]) == "—");
}
