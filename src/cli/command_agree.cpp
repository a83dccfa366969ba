#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/agreement_table.h"
#include "workflow/agree_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AgreeArguments {
  workflow::AgreeOptions job;
  TableOutput output;
  bool confusion = false;
};

std::string rendered(const report::AgreementReport& agreement, const AgreeArguments& arguments,
                     report::TableFormat format, const report::TableStyle& style) {
  if (format == report::TableFormat::json) {
    return report::agreement_json(agreement).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text = report::render(report::agreement_table(agreement), format, style);
  if (!arguments.confusion) return text;
  for (const report::Table& table : report::confusion_tables(agreement)) {
    text += "\n" + report::render(table, format, style);
  }
  return text;
}

ExitCode agree(const AgreeArguments& arguments) {
  if (arguments.confusion && arguments.output.chosen() == report::TableFormat::csv) {
    throw Error(ExitCode::usage, "a CSV file holds one table; --format json has the confusion matrices");
  }
  const report::AgreementReport agreement = workflow::compare_judgement_sets(arguments.job);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return rendered(agreement, arguments, format, style);
  });
  return ExitCode::ok;
}

}  // namespace

void add_agree_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<AgreeArguments>();
  CLI::App* command = app.add_subcommand("agree", "How far judgement sets agree: kappa, alpha, confusion");
  command
      ->add_option("sets", arguments->job.sets,
                   "Two or more judgement sets: tracer/1, label:NAME, a model, or #ID (`memuse show judges`)")
      ->required()
      ->expected(2, -1);
  add_database_option(*command, arguments->job.database);
  command->add_option("--resamples", arguments->job.resamples, "Bootstrap resamples of episodes; 0 for no intervals")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{10'000'000}));
  command->add_option("--seed", arguments->job.seed, "Seed of the resamples")->capture_default_str();
  add_table_output_options(*command, arguments->output, "; has the confusion matrices");
  command->add_flag("--confusion", arguments->confusion, "Print the confusion matrices, too");
  command->footer(
      "Units are the entries with a credit window that both sets answered (docs/labels-and-agreement.md).\n"
      "Examples:\n"
      "  memuse agree label:ada label:ben --db out/memuse.db\n"
      "  memuse agree tracer/1 label:ada label:ben --db out/memuse.db --format latex -o agreement.tex\n"
      "  memuse agree '#2' '#3' --db out/memuse.db --confusion");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return agree(*arguments); }; });
}

}  // namespace memuse::cli
