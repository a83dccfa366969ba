// Files about tasks: manifests, outcomes, probes, evaluation reports, and the CSV below them.

#include <cmath>

#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "ingest/csv_rows.h"
#include "ingest/manifest.h"
#include "ingest/swe_bench_report.h"
#include "ingest/task_files.h"
#include "model/error.h"

namespace memuse::fuzz {
namespace {

/// Runs a reader that may refuse its file with a reason.
template <typename Read>
void refuse_or(Read read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage || *error.what() == '\0') throw;
  }
}

void hold_rows(const std::vector<ingest::OutcomeRow>& rows) {
  for (const ingest::OutcomeRow& row : rows) {
    if (row.task_id.empty()) throw BrokenProperty("an outcome of no task");
    if (row.reward && !std::isfinite(*row.reward)) throw BrokenProperty("a reward that is no number");
  }
}

/// Every row of a table is found where it belongs.
template <typename Row>
void hold_found(const ingest::TaskTable<Row>& table) {
  for (const Row& row : table.rows) {
    if (table.find(row.task_id, row.configuration, row.run) != &row) throw BrokenProperty("a row is not found");
  }
}

void run_outcomes(std::string_view bytes) {
  const MemoryFile file(bytes);
  std::vector<Diagnostic> diagnostics;
  refuse_or([&] {
    const ingest::OutcomeTable table = ingest::read_outcomes(file.path(), diagnostics);
    hold_rows(table.rows);
    hold_found(table);
  });
}

void run_probes(std::string_view bytes) {
  const MemoryFile file(bytes);
  std::vector<Diagnostic> diagnostics;
  refuse_or([&] { hold_found(ingest::read_probes(file.path(), diagnostics)); });
}

void run_manifest(std::string_view bytes) {
  const MemoryFile file(bytes);
  refuse_or([&] {
    for (const ingest::ManifestRow& row : ingest::read_manifest(file.path())) {
      if (row.path.empty() || row.line == 0) throw BrokenProperty("a row without a path or a line");
    }
  });
}

void run_report(std::string_view bytes) {
  (void)ingest::looks_like_swe_bench_report(bytes);
  ingest::DiagnosticLog log("/nowhere/task-1.report.json");
  hold_rows(ingest::read_swe_bench_report(ingest::open_string(std::string(bytes)), "/nowhere/task-1.report.json", log));
}

void run_csv(std::string_view bytes) {
  std::string again;
  std::vector<std::vector<std::string>> rows;
  ingest::read_csv_rows(bytes, [&](ingest::CsvRow&& row) {
    if (!row.closed || row.cells.empty()) return;
    for (std::size_t i = 0; i < row.cells.size(); ++i) again += (i > 0 ? "," : "") + ingest::csv_cell(row.cells[i]);
    again += '\n';
    rows.push_back(std::move(row.cells));
  });
  std::size_t at = 0;
  ingest::read_csv_rows(again, [&](ingest::CsvRow&& row) {
    // A row of one empty cell is a blank line.
    while (at < rows.size() && rows[at] == std::vector<std::string>{""}) ++at;
    if (at >= rows.size() || rows[at] != row.cells) throw BrokenProperty("cells are written otherwise again");
    ++at;
  });
}

std::vector<std::string> named_seeds(std::string_view ending) {
  std::vector<std::string> seeds;
  for (SeedFile& file : source_files("examples", std::size_t{32} << 10)) {
    if (file.path.ends_with(ending)) seeds.push_back(std::move(file.bytes));
  }
  return seeds;
}

std::vector<std::string> outcome_seeds() {
  std::vector<std::string> seeds = named_seeds("outcomes.csv");
  seeds.emplace_back(R"([{"task_id": "a", "resolved": true, "reward": 0.5, "configuration": "c", "run": "r"}])");
  seeds.emplace_back("{\"task_id\": \"a\", \"resolved\": null}\n{\"task_id\": \"b\", \"resolved\": false}\n");
  seeds.emplace_back(R"({"a": true, "b": {"resolved": false, "reward": 1}})");
  return seeds;
}

std::vector<std::string> probe_seeds() {
  std::vector<std::string> seeds = named_seeds("probes.jsonl");
  seeds.emplace_back(R"({"a": {"dependent": true, "gold": ["7443"], "corruption": {"mode": "swap", "rate": 0.5}}})");
  return seeds;
}

std::vector<std::string> manifest_seeds() {
  std::vector<std::string> seeds = named_seeds("runs.csv");
  seeds.emplace_back(
      "path,configuration,run,outcomes,order,baseline\n"
      "traces/a,none,r1,o.csv,,yes\n\"b, c\",cards,r2,,order.txt,no\n");
  return seeds;
}

std::vector<std::string> report_seeds() {
  std::vector<std::string> seeds = named_seeds(".report.json");
  seeds.emplace_back(R"({"total_instances": 2, "resolved_ids": ["a"], "unresolved_ids": ["b"], "schema_version": 2})");
  seeds.emplace_back(R"({"no_generation": [], "generated": ["a"], "applied": ["a"], "resolved": ["a"]})");
  seeds.emplace_back(R"({"a__b-1": {"patch_exists": true, "resolved": false, "tests_status": {}}})");
  return seeds;
}

std::vector<std::string> csv_seeds() {
  return {"a,b\n1,2\n", "\"a \"\"b\"\"\", c \r\n\"x\ny\",\n\n,\n", "\"open\nto the end"};
}

}  // namespace

std::vector<Target> table_targets() {
  return {{"outcomes", run_outcomes, outcome_seeds},
          {"probes", run_probes, probe_seeds},
          {"manifest", run_manifest, manifest_seeds},
          {"evaluation-report", run_report, report_seeds},
          {"csv", run_csv, csv_seeds}};
}

}  // namespace memuse::fuzz
