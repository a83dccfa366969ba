#include "workflow/found_outcomes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace memuse::workflow {
namespace {

ingest::OutcomeRow row(const std::string& task, bool resolved) {
  ingest::OutcomeRow row;
  row.task_id = task;
  row.resolved = resolved;
  return row;
}

/// "configuration/run/task+" of every joined outcome.
std::string joined(const FoundOutcomes& found, std::vector<Diagnostic>* diagnostics = nullptr) {
  std::vector<Diagnostic> own;
  std::string text;
  for (const store::ScopedOutcome& outcome : found.join(diagnostics == nullptr ? own : *diagnostics)) {
    CHECK(outcome.found);
    text += *outcome.scope.configuration + "/" + *outcome.scope.run + "/" + outcome.task_id +
            (*outcome.resolved ? "+" : "-") + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("a report beside one run is that run's") {
  FoundOutcomes found({"study"});
  found.add_report("study/a/reports/t1.report.json", {row("t1", true)});
  found.add_report("study/b/traces/t1.report.json", {row("t1", false)});
  found.add_source("study/a/traces/t1.traj.json", "with", "a");
  found.add_source("study/b/traces/t1.traj.json", "without", "b");
  std::vector<Diagnostic> diagnostics;
  CHECK(joined(found, &diagnostics) == "with/a/t1+ without/b/t1- ");
  CHECK(diagnostics.empty());
}

TEST_CASE("a report beside several runs is nobody's") {
  FoundOutcomes found({"study"});
  found.add_report("study/results/run.json", {row("t1", true), row("t2", false)});
  found.add_source("study/a/t1.traj.json", "c", "a");
  found.add_source("study/b/t1.traj.json", "c", "b");
  std::vector<Diagnostic> diagnostics;
  CHECK(joined(found, &diagnostics).empty());
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].fault == Fault::ambiguous_outcome);
  CHECK(diagnostics[0].severity == Severity::warning);
  CHECK(diagnostics[0].file == "study/results/run.json");
}

TEST_CASE("nothing above the inputs is looked at") {
  FoundOutcomes found({"study/reports", "other/../study/traces/"});
  found.add_report("study/reports/t1.report.json", {row("t1", true)});
  found.add_source("elsewhere/t1.traj.json", "c", "far");
  CHECK(joined(found).empty());
  found.add_source("study/traces/t1.traj.json", "c", "near");
  CHECK(joined(found) == "c/near/t1+ ");
  found.add_source("study-2/t1.traj.json", "c", "next door");
  CHECK(joined(found) == "c/near/t1+ ");
}

TEST_CASE("reports of one run that disagree cancel each other") {
  FoundOutcomes found({"run"});
  found.add_source("run/t1.traj.json", "c", "r");
  found.add_report("run/a.json", {row("t1", true), row("t2", true)});
  found.add_report("run/b.json", {row("t1", false), row("t2", true)});
  found.add_report("run/c.json", {row("t1", true)});
  std::vector<Diagnostic> diagnostics;
  CHECK(joined(found, &diagnostics) == "c/r/t2+ ");
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].file == "run/b.json");
}

}  // namespace memuse::workflow
