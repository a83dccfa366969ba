#include "cli/value_options.h"

namespace memuse::cli {

void add_run_arguments(CLI::App& command, TraceOptions& options) {
  command.add_option("runs", options.traces, "Trace files, or folders that are searched for them")->required();
  command
      .add_option("--trace-format", options.pipeline.format, "Format of the traces (`memuse check --help` lists them)")
      ->capture_default_str();
  command.add_option("--configuration", options.pipeline.read.configuration,
                     "Configuration of traces that name none (the memory system set up one way)");
  command.add_option("--run", options.pipeline.read.run, "Run of traces that name none");
  command.add_option("--jobs", options.pipeline.jobs, "Threads (default: one per core)")->check(CLI::Range(1, 1024));
  command
      .add_option("--max-record-bytes", options.pipeline.read.max_record_bytes,
                  "Longest line that is read; longer ones are set aside")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1024}, std::size_t{4} << 30));
  command
      .add_option("--rules", options.rules,
                  "Where memory text stands in traces that do not say it: a file of delivery rules, a preset, or all "
                  "(repeatable, or with commas; `memuse check --list-rules`)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--outcomes", options.outcomes,
                     "Outcomes, CSV or JSON (task_id, resolved, optional reward, configuration, run); they replace "
                     "those of the traces");
}

report::ExportFormat row_format(const std::string& path) {
  return path.ends_with(".csv") ? report::ExportFormat::csv : report::ExportFormat::jsonl;
}

}  // namespace memuse::cli
