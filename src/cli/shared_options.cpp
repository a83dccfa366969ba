#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_folder.h"
#include "cli/terminal.h"
#include "ingest/adapter.h"
#include "ingest/delivery_rules.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

struct SeverityCounts {
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t notes = 0;
};

SeverityCounts count_severities(const std::vector<Diagnostic>& diagnostics) {
  SeverityCounts counts;
  for (const Diagnostic& diagnostic : diagnostics) {
    switch (diagnostic.severity) {
      case Severity::error:
        counts.errors += diagnostic.count;
        break;
      case Severity::warning:
        counts.warnings += diagnostic.count;
        break;
      case Severity::note:
        counts.notes += diagnostic.count;
        break;
    }
  }
  return counts;
}

std::string format_names() {
  std::string names = "auto";
  for (const ingest::Adapter* adapter : ingest::adapters()) names += fmt::format(", {}", adapter->name());
  return names;
}

}  // namespace

void add_trace_arguments(CLI::App& command, TraceOptions& options, const std::string& format) {
  command.add_option("traces", options.traces,
                     "Trace files, folders or archives that are searched for them, also compressed; - for "
                     "standard input (run, ingest, check)");
  command.add_option("--manifest", options.manifest,
                     "CSV that names the runs of a study: path, configuration, run, outcomes, order, baseline");
  command.add_option(format, options.pipeline.format, fmt::format("Format of the traces: {}", format_names()))
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
      .add_option("--max-expansion", options.pipeline.read.containers.expansion,
                  "How many times its size a compressed file or an archive may become; what follows is not read")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, ingest::kLargestContainerLimits.expansion));
  command
      .add_option("--max-members", options.pipeline.read.containers.members,
                  "Members and folders of an archive that are read; what follows is not read")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, ingest::kLargestContainerLimits.members));
  command
      .add_option("--rules", options.rules,
                  "Where memory text stands in traces that do not say it: a file of delivery rules, a preset, or all "
                  "(repeatable, or with commas; `memuse check --list-rules`)")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_task_file_options(CLI::App& command, TraceOptions& options) {
  command.add_option("--outcomes", options.outcomes,
                     "Outcomes, CSV or JSON (task_id, resolved, optional reward, configuration, run), or SWE-bench "
                     "reports: a file, or a folder of reports");
  command.add_option("--probes", options.probes, "Probes (gold and stale values per task), JSON or JSON Lines");
}

void add_database_option(CLI::App& command, std::string& database) {
  command.add_option("--db", database, "The database")->required();
}

void add_judgement_set_option(CLI::App& command, std::string& judge) {
  command.add_option(
      "--judge", judge,
      "Which judge's answers to use: its name, or #ID (default: the only one beside labels; `memuse show "
      "judges` lists them)");
}

void add_table_output_options(CLI::App& command, TableOutput& output, const std::string& json_help) {
  command
      .add_option("--format", output.format,
                  "text, markdown, latex, csv or json (default: by the suffix of the output, else text)")
      ->check(CLI::IsMember({"text", "markdown", "latex", "csv", "json"}));
  command.add_flag("--json", output.json, "Short for --format json" + json_help);
  command.add_option("-o,--output", output.output, "File to write (- for standard output)")->capture_default_str();
}

void write_tables(const TableOutput& output,
                  const std::function<std::string(report::TableFormat, const report::TableStyle&)>& render) {
  const bool to_terminal = output.output == "-";
  const report::TableStyle style{to_terminal ? terminal_width() : 100, 6, to_terminal && colour_wanted()};
  write_output(output.output, [&](std::ostream& out) { out << render(output.chosen(), style); });
}

void write_table_files(const report::Table& table, OutputFolder& folder, std::optional<report::TableFormat> format) {
  constexpr std::pair<report::TableFormat, const char*> kFormats[] = {{report::TableFormat::text, "txt"},
                                                                      {report::TableFormat::markdown, "md"},
                                                                      {report::TableFormat::latex, "tex"},
                                                                      {report::TableFormat::csv, "csv"},
                                                                      {report::TableFormat::json, "json"}};
  for (const auto& [kind, extension] : kFormats) {
    if (format && *format != kind) continue;
    folder.write(fmt::format("{}.{}", table.name, extension),
                 [&table, kind = kind](std::ostream& out) { out << report::render(table, kind); });
  }
}

report::TableFormat TableOutput::chosen() const {
  if (json) return report::TableFormat::json;
  if (!format.empty()) return *report::parse_table_format(format);
  constexpr std::pair<const char*, report::TableFormat> kSuffixes[] = {{".csv", report::TableFormat::csv},
                                                                       {".json", report::TableFormat::json},
                                                                       {".md", report::TableFormat::markdown},
                                                                       {".tex", report::TableFormat::latex}};
  for (const auto& [suffix, by_suffix] : kSuffixes) {
    if (output.ends_with(suffix)) return by_suffix;
  }
  return report::TableFormat::text;
}

void add_source_root_option(CLI::App& command, std::vector<std::string>& roots) {
  command.add_option("--source-root", roots, "OLD=NEW: traces that lay under OLD now lie under NEW (repeatable)")
      ->allow_extra_args(false);
}

std::pair<std::string, std::uint32_t> split_span_name(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos && slash + 2 < name.size() && (name[slash + 1] == 'S' || name[slash + 1] == 's')) {
    std::uint32_t number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + slash + 2, end, number);
    if (error == std::errc{} && stop == end && number > 0) return {name.substr(0, slash), number};
  }
  throw Error(ExitCode::usage,
              fmt::format("'{}' names no span; write EPISODE/S1, RUN/EPISODE/S1 or CONFIGURATION/RUN/EPISODE/S1",
                          printable(name)));
}

report::ConfigurationGroup parse_configuration_group(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error(ExitCode::usage,
                fmt::format("--group wants NAME=CONFIGURATION,CONFIGURATION, not '{}'", printable(text)));
  }
  report::ConfigurationGroup group{text.substr(0, equals), {}};
  std::size_t begin = equals + 1;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) group.configurations.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return group;
}

workflow::SourceRoots parse_source_roots(const std::vector<std::string>& roots) {
  workflow::SourceRoots parsed;
  for (const std::string& root : roots) {
    const std::size_t equals = root.find('=');
    if (equals == std::string::npos) {
      throw Error(ExitCode::usage, fmt::format("--source-root wants OLD=NEW, not '{}'", printable(root)));
    }
    parsed.emplace_back(root.substr(0, equals), root.substr(equals + 1));
  }
  return parsed;
}

ingest::PipelineOptions pipeline_options(const TraceOptions& options) {
  ingest::PipelineOptions pipeline = options.pipeline;
  pipeline.stop = &stop_requested();
  if (!options.rules.empty()) {
    pipeline.read.rules = std::make_shared<const ingest::DeliveryRules>(ingest::DeliveryRules::load(options.rules));
  }
  return pipeline;
}

workflow::IngestOptions ingest_options(const TraceOptions& options, const std::string& database) {
  if (options.traces.empty() && options.manifest.empty()) {
    throw Error(ExitCode::usage, "name traces to read, or a manifest with --manifest");
  }
  workflow::IngestOptions job;
  job.traces = options.traces;
  job.manifest = options.manifest;
  job.database = database;
  job.pipeline = pipeline_options(options);
  job.outcomes = options.outcomes;
  job.probes = options.probes;
  return job;
}

namespace {

/// "3 exact, 1 partial"; the grades that no episode has are left out.
template <typename Grade>
std::string counts_by_grade(const std::array<std::uint64_t, 4>& counts) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::string grade(name(static_cast<Grade>(i)));
    std::replace(grade.begin(), grade.end(), '_', ' ');
    if (counts[i] > 0) parts.push_back(fmt::format("{} {}", counts[i], grade));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

template <typename Grade>
nlohmann::ordered_json grade_counts_json(const std::array<std::uint64_t, 4>& counts) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) json[std::string(name(static_cast<Grade>(i)))] = counts[i];
  return json;
}

}  // namespace

std::string to_text(const workflow::IngestSummary& summary) {
  const SeverityCounts counts = count_severities(summary.diagnostics);
  std::string text = fmt::format("{} read from {} ({} looked at): {} new, {} known",
                                 plural(summary.episodes, "episode"), plural(summary.files_with_episodes, "file"),
                                 summary.files, summary.episodes_added, summary.episodes_known);
  if (summary.episodes_replaced > 0) text += fmt::format(", {} replaced", summary.episodes_replaced);
  if (summary.outcomes_applied > 0) text += fmt::format("; {} applied", plural(summary.outcomes_applied, "outcome"));
  if (summary.outcomes_found > 0) {
    text += fmt::format("; {} found beside the traces", plural(summary.outcomes_found, "outcome"));
  }
  if (counts.errors + counts.warnings + counts.notes > 0) {
    text += fmt::format("; {}, {}, {}", plural(counts.errors, "error"), plural(counts.warnings, "warning"),
                        plural(counts.notes, "note"));
  }
  text += "\n";
  if (summary.episodes > 0) {
    text += fmt::format("visible input: {}; deliveries: {}\n",
                        counts_by_grade<VisibilityGrade>(summary.grades.visible_input),
                        counts_by_grade<DeliveryGrade>(summary.grades.deliveries));
    const std::uint64_t unknown = summary.grades.visible_input[static_cast<std::size_t>(VisibilityGrade::unknown)];
    if (unknown > 0) {
      text += fmt::format("{} without spans, for nothing tells what the model saw\n", plural(unknown, "episode"));
    }
  }
  if (!summary.standard_input.empty()) {
    text += fmt::format("standard input is kept in {}, to be read again by later commands\n",
                        printable(summary.standard_input));
  }
  return text;
}

std::string to_text(const workflow::JudgeSummary& summary) {
  std::string text =
      fmt::format("{}: {} judged, {} judged before", summary.judge, plural(summary.judged, "span"), summary.kept);
  if (summary.unresolved > 0) text += fmt::format(", {} unresolved", summary.unresolved);
  if (summary.unread > 0) text += fmt::format(", {} not judged because their source could not be read", summary.unread);
  return text + "\n";
}

nlohmann::ordered_json to_json(const std::vector<Diagnostic>& diagnostics) {
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    list.push_back({{"file", diagnostic.file},
                    {"line", diagnostic.line},
                    {"byte", diagnostic.byte},
                    {"severity", severity_name(diagnostic.severity)},
                    {"fault", fault_name(diagnostic.fault)},
                    {"sentence", fault_sentence(diagnostic.fault)},
                    {"detail", diagnostic.detail},
                    {"count", diagnostic.count}});
  }
  return list;
}

nlohmann::ordered_json to_json(const workflow::IngestSummary& summary) {
  return {{"files", summary.files},
          {"files_with_episodes", summary.files_with_episodes},
          {"episodes", summary.episodes},
          {"visible_input", grade_counts_json<VisibilityGrade>(summary.grades.visible_input)},
          {"deliveries", grade_counts_json<DeliveryGrade>(summary.grades.deliveries)},
          {"episodes_added", summary.episodes_added},
          {"episodes_known", summary.episodes_known},
          {"episodes_replaced", summary.episodes_replaced},
          {"outcomes_applied", summary.outcomes_applied},
          {"outcomes_found", summary.outcomes_found},
          {"standard_input", summary.standard_input.empty() ? nlohmann::ordered_json(nullptr)
                                                            : nlohmann::ordered_json(summary.standard_input)},
          {"interrupted", summary.interrupted},
          {"diagnostics", to_json(summary.diagnostics)}};
}

nlohmann::ordered_json to_json(const workflow::JudgeSummary& summary) {
  return {{"judge", summary.judge},
          {"spans", summary.spans},
          {"judged", summary.judged},
          {"kept", summary.kept},
          {"unresolved", summary.unresolved},
          {"unread", summary.unread},
          {"interrupted", summary.interrupted},
          {"diagnostics", to_json(summary.diagnostics)}};
}

ExitCode exit_code(const workflow::IngestSummary& summary) {
  if (summary.interrupted) {
    std::fputs("interrupted; the same command goes on from here\n", stderr);
    return ExitCode::interrupted;
  }
  return summary.has_errors() ? ExitCode::partial : ExitCode::ok;
}

ExitCode exit_code(const workflow::JudgeSummary& summary) {
  if (summary.interrupted) {
    std::fputs("interrupted; the same command goes on from here\n", stderr);
    return ExitCode::interrupted;
  }
  return summary.unread + summary.unresolved > 0 ? ExitCode::partial : ExitCode::ok;
}

ExitCode worse(ExitCode a, ExitCode b) {
  return std::max(a, b);
}

}  // namespace memuse::cli
