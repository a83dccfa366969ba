#include "store/outcomes.h"

#include <catch2/catch.hpp>
#include <string>

#include "store/reader.h"
#include "store/writer.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using store::Database;
using store::set_outcomes;
using store::Writer;

namespace {

EpisodeSketch sketch(const std::string& configuration, const std::string& run, const std::string& task,
                     std::optional<bool> resolved) {
  EpisodeSketch out;
  out.configuration = configuration;
  out.run = run;
  out.id = "e-" + task;
  out.task = task;
  out.resolved = resolved;
  return out;
}

void ingest(Database& database, const std::vector<EpisodeSketch>& sketches) {
  Writer writer(database);
  for (const EpisodeSketch& s : sketches) writer.add(make_prepared(s));
  writer.finish();
}

/// One letter per episode in order: + resolved, - not, ? unknown.
std::string resolved(const Database& database) {
  std::string out;
  for (const EpisodeRecord& record : store::find_episodes(database, {})) {
    out += record.resolved ? (*record.resolved ? '+' : '-') : '?';
  }
  return out;
}

}  // namespace

TEST_CASE("outcomes of a file win over the trace and survive a new ingest") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::vector<EpisodeSketch> all{sketch("a", "r1", "t1", true), sketch("a", "r1", "t2", std::nullopt),
                                       sketch("a", "r1", "t3", false)};
  ingest(database, all);
  CHECK(resolved(database) == "+?-");
  const auto found =
      set_outcomes(database, {{"t1", false, 0.5, 2}, {"t2", true, {}, 3}, {"t9", true, {}, 4}}, {}, "outcomes.csv");
  CHECK(resolved(database) == "-+-");
  REQUIRE(found.size() == 2);
  CHECK(found[0].fault == Fault::outcome_conflict);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].file == "outcomes.csv");
  CHECK(found[0].line == 2);
  CHECK(found[1].fault == Fault::unmatched_outcome);
  CHECK(found[1].line == 4);
  CHECK(store::diagnostics(database) == found);

  const auto records = store::find_episodes(database, {});
  CHECK(records[0].reward == 0.5);
  CHECK(records[0].outcome_source == "outcomes.csv");
  CHECK(records[2].outcome_source == "harness");
  CHECK(store::episode_details(database, records[0].uid)->trace_resolved == true);

  ingest(database, all);
  CHECK(resolved(database) == "-+-");
  // Episodes that come later get their outcome too.
  ingest(database, {sketch("b", "r1", "t2", std::nullopt)});
  CHECK(resolved(database) == "-+-+");
  // … and what was said of the file is brought up to date.
  ingest(database, {sketch("b", "r1", "t9", false)});
  const auto renewed = store::diagnostics(database);
  REQUIRE(renewed.size() == 2);
  CHECK(renewed[0] == found[0]);
  CHECK(renewed[1].fault == Fault::outcome_conflict);
  CHECK(renewed[1].line == 4);
}

TEST_CASE("outcomes for one configuration and run, the one that names more wins") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  ingest(database, {sketch("a", "r1", "t1", std::nullopt), sketch("a", "r2", "t1", std::nullopt),
                    sketch("b", "r1", "t1", std::nullopt), sketch("b", "r2", "t1", std::nullopt)});
  set_outcomes(database, {{"t1", true, {}, 1}}, {"a", "r2"}, "one.csv");
  CHECK(resolved(database) == "?+??");
  set_outcomes(database, {{"t1", false, {}, 1}}, {}, "all.csv");
  CHECK(resolved(database) == "-+--");
  set_outcomes(database, {{"t1", true, {}, 1}}, {std::nullopt, "r1"}, "run.csv");
  CHECK(resolved(database) == "+++-");
  set_outcomes(database, {{"t1", false, {}, 1}}, {"a", std::nullopt}, "configuration.csv");
  CHECK(resolved(database) == "-++-");
  // A newer file for the same scope replaces the older.
  set_outcomes(database, {{"t1", true, {}, 1}}, {}, "all2.csv");
  CHECK(resolved(database) == "-+++");
  const auto missing = set_outcomes(database, {{"t1", true, {}, 1}}, {"c", std::nullopt}, "c.csv");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].fault == Fault::unmatched_outcome);
}

TEST_CASE("a field that the file leaves open keeps the trace's value") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  ingest(database, {sketch("a", "r1", "t1", true)});
  CHECK(set_outcomes(database, {{"t1", std::nullopt, 0.75, 1}}, {}, "rewards.csv").empty());
  const EpisodeRecord record = store::find_episodes(database, {}).at(0);
  CHECK(record.resolved == true);
  CHECK(record.reward == 0.75);
  CHECK(record.outcome_source == "rewards.csv");
  // A row without any value changes nothing.
  set_outcomes(database, {{"t1", std::nullopt, std::nullopt, 1}}, {}, "rewards.csv");
  CHECK(store::find_episodes(database, {}).at(0).outcome_source == "harness");
}

TEST_CASE("an outcome finalises an attempt") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  EpisodeSketch open = sketch("a", "r1", "t1", std::nullopt);
  open.ended = false;
  ingest(database, {open});
  CHECK(!store::find_episodes(database, {}).at(0).finalised);
  set_outcomes(database, {{"t1", false, {}, 1}}, {}, "o.csv");
  CHECK(store::find_episodes(database, {}).at(0).finalised);
}

TEST_CASE("a report found beside the traces counts until the user names a file, and is silent about other tasks") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  ingest(database, {sketch("a", "r1", "t1", std::nullopt), sketch("a", "r1", "t2", std::nullopt)});
  const auto found = [](const std::string& task, bool resolved) {
    store::ScopedOutcome outcome;
    outcome.task_id = task;
    outcome.resolved = resolved;
    outcome.scope = {"a", "r1"};
    outcome.source = "a/reports/" + task + ".report.json";
    outcome.found = true;
    return outcome;
  };
  CHECK(set_outcomes(database, {found("t1", true), found("t2", true), found("t3", true)}).empty());
  CHECK(resolved(database) == "++");
  set_outcomes(database, {{"t1", false, {}, 1}}, {}, "named.csv");
  CHECK(resolved(database) == "-+");
  // A later ingest finds the reports again; what was named still counts.
  set_outcomes(database, {found("t1", true), found("t2", false)});
  CHECK(resolved(database) == "--");
}
