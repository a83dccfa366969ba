#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_folder.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "workflow/study.h"
#include "workflow/table_job.h"

namespace memuse::cli {
namespace {

namespace fs = std::filesystem;

struct RunArguments {
  TraceOptions traces;
  std::string output = "memuse-out";
  bool json = false;
  bool verbose = false;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot create the folder {}: {}", printable(folder.string()), error.message()));
  }
}

workflow::OutputSettings output_settings(const workflow::StudyTables& tables) {
  workflow::OutputSettings settings;
  settings.command = {"run"};
  settings.token_estimator = rules::name(tables.token_estimator());
  return settings;
}

/// All tables that can be made; which others there are is a matter for `memuse tables all`.
void write_tables(const workflow::StudyTables& tables, const workflow::StudyContents& contents,
                  const fs::path& folder) {
  OutputFolder out(folder);
  for (const std::string& name : workflow::table_names()) {
    if (!tables.lacks(name)) write_table_files(tables.table(name), out, std::nullopt);
  }
  workflow::OutputSettings settings = output_settings(tables);
  settings.resampling = tables.resampling();
  out.write_manifest(contents, settings);
}

void write_exports(const workflow::Study& study, const workflow::StudyTables& tables,
                   const workflow::StudyContents& contents, const fs::path& folder) {
  OutputFolder out(folder);
  for (const std::string& name : workflow::export_names()) {
    out.write(name + ".jsonl",
              [&](std::ostream& file) { study.write_export(name, report::ExportFormat::jsonl, file); });
  }
  out.write_manifest(contents, output_settings(tables));
}

ExitCode run(const RunArguments& arguments) {
  const fs::path folder(arguments.output);
  make_folder(folder);
  const std::string database = (folder / "memuse.db").string();
  TerminalProgress progress;
  const workflow::IngestSummary ingested =
      workflow::ingest_traces(ingest_options(arguments.traces, database), progress);
  list_diagnostics(ingested.diagnostics, arguments.verbose);
  if (!arguments.json) std::fputs(to_text(ingested).c_str(), stderr);
  ExitCode code = exit_code(ingested);
  if (code == ExitCode::interrupted || ingested.files == 0) return code;

  workflow::JudgeOptions judge_options;
  judge_options.database = database;
  judge_options.jobs = arguments.traces.pipeline.jobs;
  judge_options.stop = &stop_requested();
  const workflow::JudgeSummary judged = workflow::judge_with_tracer(judge_options, progress);
  list_diagnostics(judged.diagnostics, arguments.verbose);
  if (!arguments.json) std::fputs(to_text(judged).c_str(), stderr);
  code = worse(code, exit_code(judged));
  if (code == ExitCode::interrupted) return code;

  const workflow::Study study(database, judged.judge);
  const workflow::StudyTables tables(study, {});
  const workflow::StudyContents contents = study.contents();
  write_tables(tables, contents, folder / "tables");
  write_exports(study, tables, contents, folder / "exports");
  const report::Table profile = tables.table("profile");
  if (arguments.json) {
    const nlohmann::ordered_json all = {{"ingest", to_json(ingested)},
                                        {"judge", to_json(judged)},
                                        {"database", database},
                                        {"profile", report::to_json(profile)}};
    print_json(all);
  } else {
    print(report::to_text(profile, {terminal_width(), 6, colour_wanted()}));
    std::fputs(fmt::format("database {0}; tables and exports beside it\n"
                           "as one page for a browser: memuse report --db {0} -o report.html\n",
                           printable(database))
                   .c_str(),
               stderr);
  }
  return code;
}

}  // namespace

void add_run_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("run", "The whole job with defaults: ingest, spans, offline judge, verdicts, tables");
  add_trace_arguments(*command, arguments->traces);
  add_task_file_options(*command, arguments->traces);
  command->add_option("-o,--output", arguments->output, "Folder for the database, tables and exports")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print summaries, diagnostics and the profile as JSON");
  command->add_flag("--verbose", arguments->verbose, "List notes too");
  command->footer(
      "Prints the profile table. Running it again adds what is new and changes nothing else.\n"
      "Examples:\n"
      "  memuse run examples/traces -o out\n"
      "  memuse run --manifest runs.csv -o out\n"
      "  memuse run runs/ -o out --outcomes outcomes.csv --probes probes.jsonl");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return run(*arguments); }; });
}

}  // namespace memuse::cli
