#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output_folder.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "workflow/study.h"
#include "workflow/table_job.h"

namespace memuse::cli {
namespace {

constexpr const char* kAllTables = "all";

struct TablesArguments {
  std::string table;
  std::string database;
  std::string judge;
  TableOutput output;
  std::string baseline;
  std::vector<std::string> groups;
  stats::Resampling resampling;
  bool per_run = false;
  bool intervals = false;
  std::string prices;
  std::string manifest;
  std::vector<std::string> command;  ///< its words for the manifest
};

workflow::TableJobOptions job_options(const TablesArguments& arguments) {
  workflow::TableJobOptions options;
  options.baseline = arguments.baseline;
  options.tables.pooling = arguments.per_run ? report::Pooling::runs : report::Pooling::configurations;
  options.tables.intervals = arguments.intervals;
  options.tables.resampling = arguments.resampling;
  options.prices = workflow::load_prices(arguments.prices);
  for (const std::string& group : arguments.groups) options.tables.groups.push_back(parse_configuration_group(group));
  return options;
}

std::optional<report::TableFormat> only_format(const TableOutput& output) {
  if (output.json) return report::TableFormat::json;
  if (output.format.empty()) return std::nullopt;
  return report::parse_table_format(output.format);
}

workflow::OutputSettings output_settings(const workflow::StudyTables& tables, const TablesArguments& arguments) {
  workflow::OutputSettings settings;
  settings.command = arguments.command;
  settings.token_estimator = rules::name(tables.token_estimator());
  const bool resamples = arguments.intervals || arguments.table == "success" || arguments.table == kAllTables;
  if (resamples) settings.resampling = tables.resampling();
  settings.prices = tables.prices();
  return settings;
}

ExitCode write_all(const workflow::Study& study, const workflow::StudyTables& tables,
                   const TablesArguments& arguments) {
  OutputFolder folder(arguments.output.output);
  for (const std::string& name : workflow::table_names()) {
    if (const auto missing = tables.lacks(name)) {
      std::fputs(fmt::format("{} was left out: {}\n", name, *missing).c_str(), stderr);
      continue;
    }
    write_table_files(tables.table(name), folder, only_format(arguments.output));
  }
  folder.write_manifest(study.contents(), output_settings(tables, arguments));
  return ExitCode::ok;
}

void check_output(const TablesArguments& arguments) {
  if (arguments.table != kAllTables) return check_output_manifest(arguments.output.output, arguments.manifest);
  if (arguments.output.output == "-") {
    throw Error(ExitCode::usage, "`tables all` writes many files: name their folder with -o");
  }
  if (!arguments.manifest.empty()) {
    throw Error(ExitCode::usage, "`tables all` writes manifest.json into its folder; leave out --manifest");
  }
}

ExitCode print_table(const TablesArguments& arguments) {
  check_output(arguments);
  const workflow::TableJobOptions options = job_options(arguments);
  const workflow::Study study(arguments.database, arguments.judge);
  const workflow::StudyTables tables(study, options);
  if (arguments.table == kAllTables) return write_all(study, tables, arguments);
  const report::Table table = tables.table(arguments.table);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return report::render(table, format, style);
  });
  if (!arguments.manifest.empty()) {
    write_manifest_of(arguments.output.output, arguments.manifest, study.contents(),
                      output_settings(tables, arguments));
  }
  return ExitCode::ok;
}

void add_interval_options(CLI::App& command, TablesArguments& arguments) {
  command.add_flag("--intervals", arguments.intervals,
                   "Bootstrap intervals over tasks in profile, use and forms (success always has them)");
  command.add_option("--resamples", arguments.resampling.resamples, "Bootstrap resamples; 0 for no intervals at all")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{10'000'000}));
  command.add_option("--seed", arguments.resampling.seed, "Seed of the resamples")->capture_default_str();
}

}  // namespace

void add_tables_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<TablesArguments>();
  std::vector<std::string> names = workflow::table_names();
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  names.emplace_back(kAllTables);
  CLI::App* command = app.add_subcommand("tables", fmt::format("Print a table: {}, or all into a folder", listed));
  command
      ->add_option("table", arguments->table,
                   "success (resolved, difference to the baseline, cost), profile (six axes, uncertainty, yields, "
                   "coverage), runs (one row per run), use (unused and acted-on entries, delays, episodes), difficulty "
                   "(tasks by how many baseline runs solved them), forms (delivery forms), origins (where beneficial "
                   "entries come from), units (deliveries, spans, triage), or all")
      ->required()
      ->check(CLI::IsMember(names));
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  add_table_output_options(*command, arguments->output);
  command->get_option("--output")
      ->description(
          "File to write (- for standard output); with all: the folder, which gets NAME.txt, .md, .tex, .csv and "
          ".json");
  command->add_flag("--per-run", arguments->per_run, "By run instead of by configuration");
  command->add_option("--baseline", arguments->baseline,
                      "Configuration that the others are compared with (default: the one that the manifest named)");
  command
      ->add_option(
          "--group", arguments->groups,
          "NAME=A,B: in forms, configurations A and B count as one (repeatable); the others stay by themselves")
      ->allow_extra_args(false);
  add_interval_options(*command, *arguments);
  command->add_option("--prices", arguments->prices,
                      "Estimate the cost of calls that have none: shipped, or a price table (JSON)");
  add_output_manifest_option(*command, arguments->manifest);
  command->footer(
      "What each table answers and how to read it: docs/table-NAME.md.\n"
      "Examples:\n"
      "  memuse tables profile --db out/memuse.db\n"
      "  memuse tables success --db out/memuse.db --baseline none --seed 7\n"
      "  memuse tables forms --db out/memuse.db --group pushed=pinned,recall --intervals\n"
      "  memuse tables runs --db out/memuse.db --format latex -o runs.tex\n"
      "  memuse tables all --db out/memuse.db --intervals -o tables");
  command->callback([arguments, command, &invocation] {
    arguments->command = command_words(*command);
    invocation.action = [arguments] { return print_table(*arguments); };
  });
}

}  // namespace memuse::cli
