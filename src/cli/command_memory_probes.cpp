#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/row_format.h"
#include "report/value_tables.h"
#include "workflow/value_tracing_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MemoryProbeArguments {
  TraceOptions traces;
  std::string file;
  TableOutput output;
  std::string explain;
  std::string episodes;
};

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode explain(const workflow::MemoryProbeOptions& job, const MemoryProbeArguments& arguments) {
  const report::TableFormat wanted = arguments.output.chosen();
  if (wanted != report::TableFormat::text && wanted != report::TableFormat::json) {
    throw Error(ExitCode::usage, "--explain prints text or JSON; --episodes writes CSV");
  }
  const workflow::ExplainedProbes explained = workflow::explain_memory_probes(job, arguments.explain);
  list_diagnostics(explained.diagnostics, false);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    if (format == report::TableFormat::text) {
      return report::explain_memory_probes_text(explained.episode, explained.probes, style);
    }
    Json rows = Json::array();
    for (const auto& [probe, scored] : explained.probes) {
      rows.push_back(report::memory_probe_row({report::episode_place(explained.episode), probe, scored}));
    }
    return dumped(rows);
  });
  return any_error(explained.diagnostics) ? ExitCode::partial : ExitCode::ok;
}

ExitCode score(const MemoryProbeArguments& arguments) {
  workflow::MemoryProbeOptions job;
  job.input = ingest_options(arguments.traces, "");
  job.file = arguments.file;
  if (!arguments.explain.empty()) return explain(job, arguments);
  job.keep_episodes = !arguments.episodes.empty();
  const report::MemoryProbeReport scored = workflow::score_memory_probes(job);
  list_diagnostics(scored.diagnostics, false);
  if (scored.interrupted) return ExitCode::interrupted;  // nothing of a part looks like the whole
  if (scored.tally.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("no probe of '{}' speaks of any of the {} read (task_id, configuration, run)",
                            arguments.file, plural(scored.episodes, "episode")));
  }
  if (!arguments.episodes.empty()) {
    write_output(arguments.episodes, [&](std::ostream& out) {
      report::RowWriter writer(out, row_format(arguments.episodes), report::memory_probe_row_columns());
      for (const report::MemoryProbeReport::Row& row : scored.scored) writer.write(report::memory_probe_row(row));
    });
  }
  if (arguments.episodes != "-") {
    write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
      if (format == report::TableFormat::json) return dumped(report::memory_probes_json(scored));
      return report::render(report::memory_probe_table(scored, format == report::TableFormat::csv), format, style);
    });
  }
  return any_error(scored.diagnostics) ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_memory_probes_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<MemoryProbeArguments>();
  CLI::App* command = app.add_subcommand(
      "memory-probes", "Is the newest value used, a deleted one still used? Declared probes, scored from actions");
  command->add_option("file", arguments->file, "Memory probes, JSON Lines (docs/memory-probes.md)")->required();
  add_trace_arguments(*command, arguments->traces, "--trace-format");
  add_task_file_options(*command, arguments->traces);
  command->add_option("--explain", arguments->explain,
                      "The lines behind one episode: EPISODE, RUN/EPISODE or CONFIGURATION/RUN/EPISODE");
  command->add_option("--episodes", arguments->episodes,
                      "Also write a row per episode and probe here, CSV or JSON Lines by the suffix (- for JSON Lines "
                      "on standard output and no table)");
  add_table_output_options(*command, arguments->output, "; has every count");
  command->footer(
      "Lines of the file that cannot be used are listed with their number; exit code 1 then.\n"
      "Examples:\n"
      "  memuse memory-probes memory-probes.jsonl runs/\n"
      "  memuse memory-probes memory-probes.jsonl runs/ --episodes probes.csv\n"
      "  memuse memory-probes memory-probes.jsonl runs/ --explain EPISODE");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return score(*arguments); }; });
}

}  // namespace memuse::cli
