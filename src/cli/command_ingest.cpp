#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace memuse::cli {
namespace {

struct IngestArguments {
  TraceOptions traces;
  std::string database;
  std::string emit_trace;
  bool json = false;
  bool verbose = false;
};

ExitCode ingest(const IngestArguments& arguments) {
  if (arguments.database.empty() && arguments.emit_trace.empty()) {
    throw Error(ExitCode::usage, "ingest wants either --db FILE or --emit-trace FILE");
  }
  const workflow::IngestOptions options = ingest_options(arguments.traces, arguments.database);
  TerminalProgress progress;
  workflow::IngestSummary summary;
  if (arguments.emit_trace.empty()) {
    summary = workflow::ingest_traces(options, progress);
  } else {
    write_output(arguments.emit_trace, [&](std::ostream& out) { summary = workflow::emit_trace(options, out); });
  }
  list_diagnostics(summary.diagnostics, arguments.verbose);
  if (arguments.json && arguments.emit_trace != "-") {
    print_json(to_json(summary));
  } else {
    std::fputs(to_text(summary).c_str(), stderr);
    if (!arguments.traces.outcomes.empty() || !arguments.traces.manifest.empty() || !arguments.traces.probes.empty()) {
      std::fputs("`memuse judge` answers anew what rested on other outcomes or probes\n", stderr);
    }
  }
  return exit_code(summary);
}

}  // namespace

void add_ingest_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<IngestArguments>();
  CLI::App* command = app.add_subcommand("ingest", "Read traces, compute spans, store both");
  add_trace_arguments(*command, arguments->traces);
  add_task_file_options(*command, arguments->traces);
  command->add_option("--db", arguments->database, "The database; created when missing, added to when there");
  command->add_option("--emit-trace", arguments->emit_trace,
                      "Write the episodes as memuse-trace/1 to this file (- for standard output), store nothing");
  command->add_flag("--json", arguments->json, "Print the summary and all diagnostics as JSON");
  command->add_flag("--verbose", arguments->verbose, "List notes too");
  command->footer(
      "Reading the same traces again changes nothing; a killed ingest goes on with the same command.\n"
      "Examples:\n"
      "  memuse ingest runs/ --db study.db --outcomes outcomes.csv\n"
      "  memuse ingest --manifest runs.csv --db study.db\n"
      "  memuse ingest trace.jsonl --configuration mem0 --run r1 --db study.db\n"
      "  memuse ingest runs.tar.zst --db study.db\n"
      "  zstdcat runs.jsonl.zst | memuse ingest - --db study.db\n"
      "  memuse ingest runs/ --emit-trace - | gzip > runs.jsonl.gz");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return ingest(*arguments); }; });
}

}  // namespace memuse::cli
