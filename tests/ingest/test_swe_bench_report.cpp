#include "ingest/swe_bench_report.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../support/data.h"
#include "../support/temporary_folder.h"
#include "ingest/pipeline.h"

namespace memuse::ingest {
namespace {

/// "task+" resolved, "task-" not, in the order of the report.
std::string verdicts(const std::vector<OutcomeRow>& rows) {
  std::string text;
  for (const OutcomeRow& row : rows) {
    text += (text.empty() ? "" : " ") + row.task_id + (row.resolved ? (*row.resolved ? "+" : "-") : "?");
  }
  return text;
}

std::string verdicts(const std::string& bytes, const std::string& path) {
  DiagnosticLog log(path);
  const std::string text = verdicts(read_swe_bench_report(open_string(bytes), path, log));
  std::string faults;
  for (const Diagnostic& diagnostic : log.take()) faults += " !" + std::string(fault_name(diagnostic.fault));
  return text + faults;
}

}  // namespace

TEST_CASE("a run's report gives the graded tasks and says nothing of the others") {
  CHECK(verdicts(R"({"total_instances": 9, "completed_ids": ["a__a-1", "b__b-2"], "resolved_ids": ["a__a-1"],
                     "unresolved_ids": ["b__b-2"], "error_ids": ["c__c-3"], "empty_patch_ids": ["d__d-4"]})",
                 "model.run.json") == "a__a-1+ b__b-2-");
  CHECK(verdicts(R"({"no_generation": ["x__x-1"], "resolved": ["a__a-1", "b__b-2"]})", "results.json") ==
        "a__a-1+ b__b-2+");
}

TEST_CASE("an instance's report names its task inside or by its file") {
  const std::string inside = R"({"patch_is_None": false, "patch_exists": true, "resolved": false, "tests_status": {}})";
  CHECK(verdicts("{\"a__a-1\": " + inside + "}", "somewhere/report.json") == "a__a-1-");
  CHECK(verdicts(inside, "reports/b__b-2.report.json") == "b__b-2-");
  CHECK(verdicts(inside, "logs/b__b-2/report.json") == "b__b-2-");
  CHECK(verdicts(inside, "reports/b__b-2.json") == "b__b-2-");
}

TEST_CASE("what is no report has no rows, and a broken one says so") {
  CHECK(verdicts(R"({"task": {"resolved": true}})", "a.json").empty());
  CHECK(verdicts(R"({"note": "\"resolved_ids\""})", "a.json").empty());
  CHECK(verdicts(R"([{"resolved_ids": []}])", "a.json").empty());
  CHECK(verdicts("", "a.json").empty());
  CHECK(verdicts(R"({"resolved_ids": ["a")", "a.json") == " !invalid_json");
  CHECK(verdicts(R"({"patch_exists": true, "resolved": null})", "a.report.json").empty());
}

TEST_CASE("a folder of reports is a file of outcomes") {
  const test::TemporaryFolder folder;
  folder.write("r/a__a-1/report.json", R"({"a__a-1": {"patch_exists": true, "resolved": true}})");
  folder.write("r/b__b-2.report.json", R"({"patch_exists": true, "resolved": false})");
  folder.write("r/run.json", R"({"resolved_ids": ["a__a-1"], "unresolved_ids": ["c__c-3"]})");
  folder.write("r/other.json", R"({"anything": 1})");
  std::vector<Diagnostic> diagnostics;
  const OutcomeTable table = read_outcomes(folder / "r", diagnostics);
  CHECK(diagnostics.empty());
  CHECK(verdicts(table.rows) == "a__a-1+ b__b-2- c__c-3-");
  CHECK(table.rows[1].file == folder / "r/b__b-2.report.json");

  folder.write("r/z.json", R"({"resolved_ids": [], "unresolved_ids": ["a__a-1"]})");
  const OutcomeTable later = read_outcomes(folder / "r", diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].fault == Fault::duplicate_row);
  CHECK(verdicts(later.rows) == "a__a-1- b__b-2- c__c-3-");
}

TEST_CASE("a report among the traces is no unknown file") {
  const test::TemporaryFolder folder;
  folder.write("a__a-1.report.json", R"({"patch_exists": true, "resolved": true})");
  std::vector<FileReport> files;
  read_inputs(
      find_inputs({folder.path().string()}).files, {}, [](Episode&&) { FAIL("no episode is here"); },
      [&](FileReport&& file) { files.push_back(std::move(file)); });
  REQUIRE(files.size() == 1);
  CHECK(files[0].format == kReportFormat);
  CHECK(files[0].diagnostics.empty());
  CHECK(verdicts(files[0].outcomes) == "a__a-1+");
}

TEST_CASE("real reports") {
  MEMUSE_NEEDS_SHARED_DATA();
  const auto reports = test::shared_data() / ".." / "traces" / "mini-swe-agent";
  std::vector<Diagnostic> diagnostics;
  CHECK(read_outcomes((reports / "v1" / "reports").string(), diagnostics).rows.size() == 5);
  const auto run = reports / "v2" / "results" / "deepseek__deepseek-chat.deepseek_chat_test_1-100.json";
  const OutcomeTable table = read_outcomes(run.string(), diagnostics);
  CHECK(table.rows.size() == 100);
  CHECK(std::count_if(table.rows.begin(), table.rows.end(), [](const auto& row) { return *row.resolved; }) == 61);
  CHECK(diagnostics.empty());
}

}  // namespace memuse::ingest
