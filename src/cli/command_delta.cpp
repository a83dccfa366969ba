#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "model/text.h"
#include "report/delta_words.h"
#include "workflow/delta_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DeltaArguments {
  workflow::DeltaOptions job;
  std::string draft;
  std::vector<std::string> tables;
  TableOutput output;
  bool list_dropped = false;
};

/// Tables to print: those that were asked for, else all that have rows; dropped instances only on demand.
std::vector<report::Table> chosen_tables(const report::DeltaReport& report, const DeltaArguments& arguments) {
  std::vector<report::Table> tables;
  const auto& asked = arguments.tables;
  for (const std::string& name : report::delta_table_names()) {
    const bool listed = name == "dropped" && arguments.list_dropped;
    const bool named = listed || std::find(asked.begin(), asked.end(), name) != asked.end();
    if (!named && (!asked.empty() || name == "dropped")) continue;
    report::Table table = report::delta_table(report, name);
    if (named || !table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

std::string rendered(const report::DeltaReport& report, const DeltaArguments& arguments, report::TableFormat format,
                     const report::TableStyle& style) {
  if (format == report::TableFormat::json) {
    return report::delta_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const report::Table& table : chosen_tables(report, arguments)) {
    text += (text.empty() ? "" : "\n") + report::render(table, format, style);
  }
  return text;
}

/// What a build server needs to see at the end of its log.
void say_what_is_not_controlled(const report::DeltaReport& report) {
  for (std::size_t i = 0; i < report.study.comparisons.size(); ++i) {
    const controlled::Control& control = report.study.comparisons[i].control;
    for (const controlled::Confound& confound : control.confounds) {
      std::fputs(
          fmt::format("not controlled: {}: {}\n", printable(report.declaration.comparisons[i].name), confound.sentence)
              .c_str(),
          stderr);
    }
    std::vector<std::string> warnings = control.warnings;
    if (const std::string dropped = report::dropped_words(report, i); !dropped.empty()) {
      warnings.push_back("the instance sets differ: " + dropped);
    }
    for (const std::string& warning : warnings) {
      std::fputs(fmt::format("warning: {}: {}\n", printable(report.declaration.comparisons[i].name), printable(warning))
                     .c_str(),
                 stderr);
    }
  }
}

ExitCode write_draft(const DeltaArguments& arguments) {
  if (!arguments.job.declaration.empty()) {
    throw Error(ExitCode::usage, "--draft writes a declaration; leave out --declaration");
  }
  if (arguments.job.results.empty()) throw Error(ExitCode::usage, "name the results to draft a declaration from");
  if (std::filesystem::exists(arguments.draft)) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' exists already; a draft never overwrites a file", printable(arguments.draft)));
  }
  const std::string folder =
      arguments.draft == "-" ? std::string() : std::filesystem::absolute(arguments.draft).parent_path().string();
  std::vector<Diagnostic> diagnostics;
  const std::string text = workflow::delta_draft(arguments.job.results, folder, diagnostics);
  list_diagnostics(diagnostics, true);
  write_output(arguments.draft, [&](std::ostream& out) { out << text; });
  return any_error(diagnostics) ? ExitCode::partial : ExitCode::ok;
}

ExitCode delta(const DeltaArguments& arguments) {
  if (!arguments.draft.empty()) return write_draft(arguments);
  if (arguments.job.declaration.empty()) {
    throw Error(ExitCode::usage, "name the declaration with --declaration FILE, or write one to complete with --draft");
  }
  if (arguments.output.chosen() == report::TableFormat::csv &&
      arguments.tables.size() + (arguments.list_dropped ? 1 : 0) != 1) {
    throw Error(ExitCode::usage, "a CSV file holds one table: choose it with --table; --format json has all");
  }
  const workflow::DeltaOutcome outcome = workflow::compare_strategies(arguments.job);
  list_diagnostics(outcome.diagnostics, true);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return rendered(outcome.report, arguments, format, style);
  });
  say_what_is_not_controlled(outcome.report);
  return any_error(outcome.diagnostics) || !outcome.report.study.all_controlled() ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_delta_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<DeltaArguments>();
  CLI::App* command =
      app.add_subcommand("delta", "Compare memory strategies on matched questions, one factor at a time");
  command->add_option("results", arguments->job.results,
                      "Per-question results beside those that the declaration names: CSV, JSON Lines, databases");
  command->add_option("--declaration", arguments->job.declaration,
                      "What each strategy is made of and which comparisons differ in which factor (JSON)");
  command->add_option("--draft", arguments->draft, "Write a declaration to complete from the results, and stop");
  command->add_option("--resamples", arguments->job.resamples, "Bootstrap resamples of instances; 0 for no intervals")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{10'000'000}));
  command->add_option("--seed", arguments->job.seed, "Seed of the resamples")->capture_default_str();
  command
      ->add_option(
          "--table", arguments->tables,
          "Print this table only (repeatable): comparisons, conclusions, types, strategies, costs, components, "
          "ranks, dropped, checklist")
      ->check(CLI::IsMember(report::delta_table_names()))
      ->allow_extra_args(false);
  command->add_flag("--list-dropped", arguments->list_dropped, "List the instances that are not compared, and why");
  add_table_output_options(*command, arguments->output, ": one document with everything");
  command->footer(
      "A difference is called controlled when nothing but the declared factor varies; otherwise its conclusion\n"
      "is withheld (docs/controlled-comparisons.md).\n"
      "Exit codes: 0 every comparison is controlled and every row was read; 1 some comparison is not controlled\n"
      "or some row was set aside (both listed on standard error).\n"
      "Examples:\n"
      "  memuse delta --declaration examples/delta/study.json\n"
      "  memuse delta --declaration study.json --table comparisons --format latex -o comparisons.tex\n"
      "  memuse delta results.csv --draft study.json\n"
      "  memuse delta out/memuse.db --draft -");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return delta(*arguments); }; });
}

}  // namespace memuse::cli
