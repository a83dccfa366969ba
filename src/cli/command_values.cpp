#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/merit_explain.h"
#include "cli/output.h"
#include "cli/row_format.h"
#include "report/exports.h"
#include "report/value_tables.h"
#include "workflow/value_tracing_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ValuesArguments {
  TraceOptions traces;
  TableOutput output;
  std::vector<std::string> tables;
  std::string explain;
  std::string episodes;
};

std::string rendered(const report::ValueReport& values, const std::vector<std::string>& names,
                     report::TableFormat format, const report::TableStyle& style) {
  if (format == report::TableFormat::json) {
    return report::values_json(values).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += "\n";
    text += report::render(report::value_table(values, name, format == report::TableFormat::csv), format, style);
  }
  return text;
}

void write_rows(const report::ValueReport& values, const std::string& path) {
  write_output(path, [&](std::ostream& out) {
    report::RowWriter writer(out, row_format(path), report::value_row_columns());
    for (const auto& [place, trace] : values.traced) {
      for (const auto& row : report::value_rows(place, trace)) writer.write(row);
    }
  });
}

ExitCode trace_values(const ValuesArguments& arguments) {
  workflow::ValueTracingOptions job;
  job.input = ingest_options(arguments.traces, "");
  if (!arguments.explain.empty()) return print_explained_values(job, arguments.explain, arguments.output);
  if (arguments.output.chosen() == report::TableFormat::csv && arguments.tables.size() != 1) {
    throw Error(ExitCode::usage, "a CSV file holds one table; choose it with --table, or write rows with --episodes");
  }
  job.keep_episodes = !arguments.episodes.empty();
  const report::ValueReport values = workflow::trace_runs(job);
  list_diagnostics(values.diagnostics, false);
  if (values.interrupted) return ExitCode::interrupted;  // nothing of a part looks like the whole
  if (values.tally.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("none of the {} read is dependent and has gold values; --probes names them per task "
                            "(docs/merit.md)",
                            plural(values.episodes, "episode")));
  }
  if (!arguments.episodes.empty()) write_rows(values, arguments.episodes);
  if (arguments.episodes != "-") {
    const std::vector<std::string> names =
        arguments.tables.empty() ? report::default_value_tables(values) : arguments.tables;
    write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
      return rendered(values, names, format, style);
    });
  }
  return any_error(values.diagnostics) ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_values_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<ValuesArguments>();
  CLI::App* command = app.add_subcommand(
      "values", "What became of the values that a task needs: held by memory, carried by actions, leaked");
  add_trace_arguments(*command, arguments->traces, "--trace-format");
  add_task_file_options(*command, arguments->traces);
  command
      ->add_option("--table", arguments->tables,
                   "held, carried, use, leaks or flag (repeatable, or with commas; default: all, flag only where "
                   "MERIT's flag is recorded)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(report::value_table_names()));
  command->add_option("--explain", arguments->explain,
                      "The lines behind one episode: EPISODE, RUN/EPISODE or CONFIGURATION/RUN/EPISODE");
  command->add_option("--episodes", arguments->episodes,
                      "Also write a row per episode and gold value here, CSV or JSON Lines by the suffix (- for "
                      "JSON Lines on standard output and no tables)");
  add_table_output_options(*command, arguments->output, "; has every count");
  command->footer(
      "Reads runs as they are; no database, no model (docs/value-tracing.md).\n"
      "Examples:\n"
      "  memuse values runs/ --probes probes.jsonl\n"
      "  memuse values runs/ --probes probes.jsonl --table use --format latex -o use.tex\n"
      "  memuse values runs/ --probes probes.jsonl --episodes values.csv\n"
      "  memuse values runs/ --probes probes.jsonl --explain b27d9f13");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return trace_values(*arguments); }; });
}

}  // namespace memuse::cli
