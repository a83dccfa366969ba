#include "report/tables.h"

#include <catch2/catch.hpp>

#include "example.h"

using namespace memuse;
using report::Cell;
using report::Table;

namespace {

JudgementSetRecord tracer_set() {
  JudgementSetRecord set;
  set.judge = "tracer/1";
  set.rules = "memuse-rules/1";
  return set;
}

/// Two runs of the example's configuration, and one configuration without memory.
rules::StudyProfile study(rules::AssessedSignals assessed = {}) {
  rules::StudyTally tally;
  auto record = test::example().record;
  tally.add(record);
  record.episode.run = "r2";
  record.episode.resolved = std::nullopt;
  SpanRecord refused = record.spans[0];
  refused.number = 3;
  refused.status = SpanStatus::unresolved;
  refused.unresolved_reason = "a quote does not occur in the step it cites";
  record.spans.push_back(refused);
  tally.add(record);
  EpisodeSpansRecord plain;
  plain.episode.configuration = "none";
  plain.episode.run = "r1";
  plain.episode.resolved = false;
  tally.add(plain);
  return tally.finish(assessed);
}

const Cell& cell(const Table& table, const std::string& row_key, const std::string& column_key,
                 const std::string& group = "") {
  for (const auto& row : table.rows) {
    if (row.key != row_key || (!group.empty() && row.group != group)) continue;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == column_key) return row.cells.at(i);
    }
  }
  FAIL("no cell " << row_key << " / " << column_key);
  return table.rows.at(0).cells.at(0);
}

void require_rectangular(const Table& table) {
  for (const auto& row : table.rows) REQUIRE(row.cells.size() == table.columns.size());
}

}  // namespace

TEST_CASE("profile: columns are configurations, numbers are those of the profile") {
  const Table table = report::profile_table(study(), tracer_set());
  require_rectangular(table);
  CHECK(table.columns.size() == 3);
  const std::string c = "notebook-v2";
  CHECK(shown(cell(table, "relevance", c)) == "100.00");
  CHECK(shown(cell(table, "acted_on", c)) == "50.00");
  CHECK(shown(cell(table, "benefit", c)) == "50.00");
  CHECK(shown(cell(table, "harm", c)) == "0.00");
  CHECK(shown(cell(table, "harm", "none")) == "—");
  CHECK(shown(cell(table, "beneficial_yield", c)) == "100.00");
  CHECK(shown(cell(table, "episodes", "none")) == "1");
  CHECK(shown(cell(table, "episodes_with_delivery", "none")) == "0");
  CHECK(shown(cell(table, "profiled_spans", c)) == "2");
  for (const char* part : {"tracer/1", "memuse-rules/1", "utf8-bytes/4", "n = 2 profiled spans", "Information gain"}) {
    CHECK(table.caption.find(part) != std::string::npos);
  }
  CHECK(table.caption.find("does not assess") == std::string::npos);
  for (const auto& row : table.rows) {
    CHECK(row.key != "relevance_null");
    CHECK(row.key != "accuracy_null");
  }
}

TEST_CASE("profile: what the judge does not assess is a dash, and its nulls get a row") {
  const Table table = report::profile_table(study({false, false}), tracer_set());
  for (const char* key : {"relevance", "corroboration", "information_gain", "contradicted"}) {
    CHECK(shown(cell(table, key, "notebook-v2")) == "—");
  }
  CHECK(shown(cell(table, "acted_on", "notebook-v2")) == "50.00");
  CHECK(shown(cell(table, "relevance_null", "notebook-v2")) == "0.00");
  CHECK(table.caption.find("This judge does not assess relevance and accuracy.") != std::string::npos);
}

TEST_CASE("profile per run") {
  const Table table = report::profile_table(study(), tracer_set(), report::Pooling::runs);
  require_rectangular(table);
  CHECK(table.columns.size() == 4);
  CHECK(shown(cell(table, "profiled_spans", "notebook-v2/r2")) == "1");
}

TEST_CASE("runs: a row per run, then the spread of several") {
  const Table table = report::runs_table(study(), tracer_set());
  require_rectangular(table);
  const std::string c = "notebook-v2";
  CHECK(shown(cell(table, "r1", "resolved", c)) == "100.00");
  CHECK(shown(cell(table, "r2", "resolved", c)) == "0.00");
  CHECK(shown(cell(table, "r2", "without_result", c)) == "1");
  CHECK(shown(cell(table, "(mean)", "resolved", c)) == "50.00");
  CHECK(shown(cell(table, "(sd)", "resolved", c)) == "70.71");
  CHECK(shown(cell(table, "(min)", "resolved", c)) == "0.00");
  CHECK(shown(cell(table, "(max)", "resolved", c)) == "100.00");
  CHECK(shown(cell(table, "r1", "benefit", "none")) == "—");
  for (const auto& row : table.rows) {
    if (row.group == "none") CHECK(row.key == "r1");  // a single run has no spread
  }
}

TEST_CASE("units: deliveries, spans, triage, reasons") {
  JudgementSetRecord set = tracer_set();
  set.calls = 1200;
  set.input_tokens = 5000;
  set.cached_input_tokens = 3000;
  set.cost_usd = 1.5;
  const Table table = report::units_table(study(), set);
  require_rectangular(table);
  const std::string c = "notebook-v2";
  CHECK(shown(cell(table, "deliveries", c)) == "5");
  CHECK(shown(cell(table, "unconsumed", c)) == "2");
  CHECK(shown(cell(table, "spans", c)) == "5");
  CHECK(shown(cell(table, "judged", c)) == "2");
  CHECK(shown(cell(table, "automatic_neutral", c)) == "2");
  CHECK(shown(cell(table, "unresolved", c)) == "1");
  CHECK(shown(cell(table, "beneficial", c)) == "2");
  CHECK(shown(cell(table, "beneficial_share", c)) == "50.00");
  CHECK(shown(cell(table, "neutral_share", c)) == "50.00");
  CHECK(shown(cell(table, "neutral_share", "none")) == "—");
  CHECK(shown(cell(table, "unresolved: a quote does not occur in the step it cites", c)) == "1");
  CHECK(table.caption.find("1,200 calls; input tokens 2,000 uncached and 3,000 cached") != std::string::npos);
  CHECK(table.caption.find("1.50 US dollars") != std::string::npos);
}

TEST_CASE("a study without judgements says so") {
  rules::StudyTally tally;
  auto record = test::example().record;
  for (auto& span : record.spans) span.status = SpanStatus::not_judged;
  tally.add(record);
  const Table table = report::profile_table(tally.finish({}), JudgementSetRecord{});
  CHECK(table.caption.find("Nothing was judged") != std::string::npos);
  CHECK(shown(cell(table, "benefit", "notebook-v2")) == "—");
  CHECK(shown(cell(table, "token_efficiency", "notebook-v2")) == "—");
}

TEST_CASE("an empty study makes tables without columns of numbers") {
  const rules::StudyProfile none = rules::StudyTally().finish({});
  for (const Table& table :
       {report::profile_table(none, {}), report::runs_table(none, {}), report::units_table(none, {})}) {
    for (const auto format : {report::TableFormat::text, report::TableFormat::markdown, report::TableFormat::latex,
                              report::TableFormat::csv, report::TableFormat::json}) {
      CHECK_FALSE(render(table, format).empty());
    }
  }
}

TEST_CASE("units: a verdict that no judge could find is a dash and not 0") {
  rules::StudyTally tally;
  auto record = test::example().record;
  record.episode.has_probe = false;
  tally.add(record);
  const Table table = report::units_table(tally.finish({true, true, true}), tracer_set());
  for (const char* key : {"beneficial", "beneficial_share", "mixed", "harmful", "harmful_share"}) {
    CHECK(shown(cell(table, key, "notebook-v2")) == "—");
  }
  CHECK(shown(cell(table, "neutral", "notebook-v2")) != "—");
  record.episode.has_probe = true;
  tally.add(record);
  const Table with_probe = report::units_table(tally.finish({true, true, true}), tracer_set());
  CHECK(shown(cell(with_probe, "harmful", "notebook-v2")) == "0");
}

TEST_CASE("units: before judging effects are unknown") {
  rules::StudyTally tally;
  auto record = test::example().record;
  record.spans[0].status = SpanStatus::not_judged;
  tally.add(record);
  const Table table = report::units_table(tally.finish({}), {});
  CHECK(shown(cell(table, "beneficial", "notebook-v2")) == "—");
  CHECK(shown(cell(table, "neutral", "notebook-v2")) == "1");  // the automatic one
}

TEST_CASE("units: the work of the judge by configuration and by run") {
  JudgementSetRecord set = tracer_set();
  set.calls = 30;
  const std::vector<JudgingWork> work{{"notebook-v2", "r1", {10, 1000, 400, 50, 0, 0.5, 0}},
                                      {"notebook-v2", "r2", {20, 3000, 100, 70, 5, 0.0, 20}}};
  const Table table = report::units_table(study(), set, report::Pooling::configurations, work);
  const std::string c = "notebook-v2";
  CHECK(shown(cell(table, "judge_calls", c)) == "30");
  CHECK(shown(cell(table, "judge_uncached_input_tokens", c)) == "3,500");
  CHECK(shown(cell(table, "judge_cached_input_tokens", c)) == "500");
  CHECK(shown(cell(table, "judge_output_tokens", c)) == "120");
  CHECK(shown(cell(table, "judge_cost_usd", c)) == "0.50");
  CHECK(shown(cell(table, "judge_calls", "none")) == "0");
  CHECK(shown(cell(table, "judge_cost_usd", "none")) == "—");
  const Table runs = report::units_table(study(), set, report::Pooling::runs, work);
  CHECK(shown(cell(runs, "judge_calls", c + "/r2")) == "20");
  CHECK(shown(cell(runs, "judge_cost_usd", c + "/r2")) == "—");
}
