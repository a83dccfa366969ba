#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_folder.h"
#include "workflow/study.h"

namespace memuse::cli {
namespace {

struct ExportArguments {
  std::string kind;
  std::string database;
  std::string judge;
  std::string format;
  std::string output = "-";
  std::string manifest;
  std::vector<std::string> command;  ///< its words for the manifest
};

/// The named format, else the one that the file's suffix says, else JSON Lines.
report::ExportFormat export_format(const ExportArguments& arguments) {
  if (!arguments.format.empty()) return *report::parse_export_format(arguments.format);
  return arguments.output.ends_with(".csv") ? report::ExportFormat::csv : report::ExportFormat::jsonl;
}

ExitCode export_rows(const ExportArguments& arguments) {
  check_output_manifest(arguments.output, arguments.manifest);
  const workflow::Study study(arguments.database, arguments.judge);
  write_output(arguments.output,
               [&](std::ostream& out) { study.write_export(arguments.kind, export_format(arguments), out); });
  if (!arguments.manifest.empty()) {
    workflow::OutputSettings settings;
    settings.command = arguments.command;
    settings.token_estimator = rules::name(study.profile().estimator);
    write_manifest_of(arguments.output, arguments.manifest, study.contents(), settings);
  }
  return ExitCode::ok;
}

}  // namespace

void add_export_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "Write data: spans, entries, deliveries, episodes, profiles");
  command->add_option("kind", arguments->kind, "spans, entries, deliveries, episodes or profiles")
      ->required()
      ->check(CLI::IsMember(workflow::export_names()));
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  command->add_option("--format", arguments->format, "jsonl or csv (default: by the suffix of the output, else jsonl)")
      ->check(CLI::IsMember({"jsonl", "csv"}));
  command->add_option("-o,--output", arguments->output, "File to write (- for standard output)")->capture_default_str();
  add_output_manifest_option(*command, arguments->manifest);
  command->footer(
      "One row per thing, always in the same order; schemas/ has a JSON Schema for each.\n"
      "Examples:\n"
      "  memuse export spans --db out/memuse.db | jq 'select(.verdict == \"harmful\")'\n"
      "  memuse export entries --db out/memuse.db -o entries.csv");
  command->callback([arguments, command, &invocation] {
    arguments->command = command_words(*command);
    invocation.action = [arguments] { return export_rows(*arguments); };
  });
}

}  // namespace memuse::cli
