#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "report/table.h"
#include "report/tables.h"
#include "workflow/ingest_job.h"
#include "workflow/judge_job.h"

// Each command lives in a file of its own: it declares its options, then calls the library and prints.

namespace memuse::cli {

class OutputFolder;

/// What the chosen command will do; run after the whole command line was understood.
struct Invocation {
  std::function<ExitCode()> action;
};

void add_run_command(CLI::App& app, Invocation& invocation);
void add_ingest_command(CLI::App& app, Invocation& invocation);
void add_judge_command(CLI::App& app, Invocation& invocation);
void add_show_command(CLI::App& app, Invocation& invocation);
void add_label_command(CLI::App& app, Invocation& invocation);
void add_agree_command(CLI::App& app, Invocation& invocation);
void add_compare_command(CLI::App& app, Invocation& invocation);
void add_delta_command(CLI::App& app, Invocation& invocation);
void add_evidence_command(CLI::App& app, Invocation& invocation);
void add_merit_command(CLI::App& app, Invocation& invocation);
void add_tables_command(CLI::App& app, Invocation& invocation);
void add_figures_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_report_command(CLI::App& app, Invocation& invocation);
void add_view_command(CLI::App& app, Invocation& invocation);
void add_graph_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_retrieval_command(CLI::App& app, Invocation& invocation);
void add_values_command(CLI::App& app, Invocation& invocation);
void add_memory_probes_command(CLI::App& app, Invocation& invocation);

// Options that several commands share, declared once so that they read the same everywhere.

/// Texts of `--manifest`, `--configuration`, `--run`, `--format`, `--jobs`, `--max-record-bytes`, `--rules`,
/// `--outcomes`, `--probes`.
struct TraceOptions {
  std::vector<std::string> traces;
  std::string manifest;
  ingest::PipelineOptions pipeline;
  std::vector<std::string> rules;  ///< files and presets of delivery rules
  std::string outcomes;
  std::string probes;
};
/// `format` is the name of the option for the traces' format: not `--format` where that means a table's.
void add_trace_arguments(CLI::App& command, TraceOptions& options, const std::string& format = "--format");
/// `--outcomes` and `--probes`, for commands that store.
void add_task_file_options(CLI::App& command, TraceOptions& options);
void add_database_option(CLI::App& command, std::string& database);
void add_judgement_set_option(CLI::App& command, std::string& judge);
void add_source_root_option(CLI::App& command, std::vector<std::string>& roots);
/// Where and how a table is printed: `--format`, `--json`, `-o`.
struct TableOutput {
  std::string format;
  bool json = false;
  std::string output = "-";

  /// The named format, else the one that the suffix of the output file says, else text.
  [[nodiscard]] report::TableFormat chosen() const;
};
void add_table_output_options(CLI::App& command, TableOutput& output, const std::string& json_help = {});
/// Writes what `render` makes of the format and of the style that fits the place.
void write_tables(const TableOutput& output,
                  const std::function<std::string(report::TableFormat, const report::TableStyle&)>& render);
/// Writes a table into the folder in one format, or in all: `profile.txt`, `.md`, `.tex`, `.csv`, `.json`.
void write_table_files(const report::Table& table, OutputFolder& folder, std::optional<report::TableFormat> format);
/// Splits `EPISODE/S3` into the episode's name and 3; throws Error(usage) when that names no span.
std::pair<std::string, std::uint32_t> split_span_name(const std::string& name);
/// Takes `NAME=A,B` of `--group` apart; throws Error(usage) when it is something else. Names of configurations that
/// hold commas cannot be in a group.
report::ConfigurationGroup parse_configuration_group(const std::string& text);
/// Splits `OLD=NEW`; throws Error(usage) when there is no `=`.
workflow::SourceRoots parse_source_roots(const std::vector<std::string>& roots);
/// The pipeline's options with rules loaded; throws Error(usage) for wrong ones.
ingest::PipelineOptions pipeline_options(const TraceOptions& options);
/// Throws Error(usage) when neither traces nor a manifest were named.
workflow::IngestOptions ingest_options(const TraceOptions& options, const std::string& database);

/// One paragraph on what an ingest came to, for standard error or output.
std::string to_text(const workflow::IngestSummary& summary);
std::string to_text(const workflow::JudgeSummary& summary);
/// The same as JSON.
nlohmann::ordered_json to_json(const workflow::IngestSummary& summary);
nlohmann::ordered_json to_json(const workflow::JudgeSummary& summary);
nlohmann::ordered_json to_json(const std::vector<Diagnostic>& diagnostics);

/// Exit code of a finished job, with the line that tells how to go on after an interrupt.
ExitCode exit_code(const workflow::IngestSummary& summary);
ExitCode exit_code(const workflow::JudgeSummary& summary);
/// The worse of two outcomes of jobs that ran one after the other.
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace memuse::cli
