#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "workflow/study.h"

namespace memuse::cli {
namespace {

struct TablesArguments {
  std::string table;
  std::string database;
  std::string judge;
  TableOutput output;
  bool per_run = false;
};

ExitCode print_table(const TablesArguments& arguments) {
  const workflow::Study study(arguments.database, arguments.judge);
  const report::Table table =
      study.table(arguments.table, arguments.per_run ? report::Pooling::runs : report::Pooling::configurations);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return report::render(table, format, style);
  });
  return ExitCode::ok;
}

}  // namespace

void add_tables_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<TablesArguments>();
  CLI::App* command = app.add_subcommand("tables", "Print a table: profile, runs, units, origins");
  command
      ->add_option("table", arguments->table,
                   "profile (six axes, uncertainty, yields, coverage), runs (one row per run), units (deliveries, "
                   "spans, triage), origins (where beneficial entries come from)")
      ->required()
      ->check(CLI::IsMember(workflow::table_names()));
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  add_table_output_options(*command, arguments->output);
  command->add_flag("--per-run", arguments->per_run, "One column per run instead of per configuration");
  command->footer(
      "Examples:\n"
      "  memuse tables profile --db out/memuse.db\n"
      "  memuse tables runs --db out/memuse.db --format latex -o runs.tex");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return print_table(*arguments); }; });
}

}  // namespace memuse::cli
