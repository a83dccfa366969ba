#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_folder.h"
#include "report/compare_tables.h"
#include "workflow/compare_job.h"
#include "workflow/study.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  workflow::CompareOptions job;
  std::string factor = "memory";
  std::string method = "percentile";
  std::string prices;
  bool list_unmatched = false;
  TableOutput output;
  std::string manifest;
  std::vector<std::string> command;  ///< its words for the manifest
};

std::string rendered(const report::CompareReport& report, const CompareArguments& arguments, report::TableFormat format,
                     const report::TableStyle& style) {
  if (format == report::TableFormat::json) {
    return report::compare_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text = report::render(report::compare_table(report), format, style);
  if (arguments.list_unmatched) text += "\n" + report::render(report::unmatched_table(report), format, style);
  return text;
}

void write_manifest(const report::CompareReport& report, const CompareArguments& arguments) {
  if (arguments.manifest.empty()) return;
  workflow::OutputSettings settings;
  settings.command = arguments.command;
  settings.token_estimator = rules::name(report.study.profile.estimator);
  settings.resampling = arguments.job.resampling;
  settings.prices = arguments.job.prices;
  const workflow::Study study(arguments.job.database, arguments.job.judge);
  write_manifest_of(arguments.output.output, arguments.manifest, study.contents(), settings);
}

ExitCode compare(CompareArguments& arguments) {
  if (arguments.list_unmatched && arguments.output.chosen() == report::TableFormat::csv) {
    throw Error(ExitCode::usage, "a CSV file holds one table; --format json has the unmatched tasks, too");
  }
  check_output_manifest(arguments.output.output, arguments.manifest);
  arguments.job.factor = *attribution::parse_factor(arguments.factor);
  arguments.job.resampling.method =
      arguments.method == "bca" ? stats::IntervalMethod::bca : stats::IntervalMethod::percentile;
  arguments.job.prices = workflow::load_prices(arguments.prices);
  const report::CompareReport report = workflow::compare_configurations(arguments.job);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return rendered(report, arguments, format, style);
  });
  write_manifest(report, arguments);
  for (const std::string& warning : report::compare_warnings(report)) {
    std::fputs(fmt::format("warning: {}\n", warning).c_str(), stderr);
  }
  return ExitCode::ok;
}

void add_statistics_options(CLI::App& command, CompareArguments& arguments) {
  command.add_option("--family", arguments.job.family, "Name of the family of hypotheses, for the caption");
  command
      .add_option("--measures", arguments.job.measures,
                  "Measures of the family, whose p-values are adjusted together by Holm's method (default: resolved, "
                  "cost, acted_on, benefit, harm, token_efficiency)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--factor", arguments.factor,
                  "What the configurations are meant to differ in: memory, model, seed, tasks, runs, repositories; "
                  "anything else that differs is warned of")
      ->capture_default_str()
      ->check(CLI::IsMember({"memory", "model", "seed", "tasks", "runs", "repositories"}));
  command.add_option("--resamples", arguments.job.resampling.resamples, "Bootstrap resamples; 0 for no intervals")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{10'000'000}));
  command.add_option("--seed", arguments.job.resampling.seed, "Seed of the resamples")->capture_default_str();
  command.add_option("--method", arguments.method, "Intervals: percentile or bca")
      ->capture_default_str()
      ->check(CLI::IsMember({"percentile", "bca"}));
}

}  // namespace

void add_compare_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "Configurations against each other on the tasks that both have, with intervals");
  command
      ->add_option("configurations", arguments->job.configurations,
                   "The configuration that the others are compared with, then one or more others")
      ->required()
      ->expected(2, -1);
  add_database_option(*command, arguments->job.database);
  add_judgement_set_option(*command, arguments->job.judge);
  add_statistics_options(*command, *arguments);
  command->add_option("--prices", arguments->prices,
                      "Estimate the cost of calls that have none: shipped, or a price table (JSON)");
  command->add_flag("--list-unmatched", arguments->list_unmatched, "List the tasks that only one side has");
  add_table_output_options(*command, arguments->output, ": one document with everything");
  add_output_manifest_option(*command, arguments->manifest);
  command->footer(
      "Differences are the other configuration minus the first, over matched tasks (docs/compare.md).\n"
      "Examples:\n"
      "  memuse compare plain cards --db study.db\n"
      "  memuse compare plain cards pinned --db study.db --family \"memory against none\" --measures resolved,harm\n"
      "  memuse compare plain cards --db study.db --format latex -o compare.tex --manifest compare.manifest.json");
  command->callback([arguments, command, &invocation] {
    arguments->command = command_words(*command);
    invocation.action = [arguments] { return compare(*arguments); };
  });
}

}  // namespace memuse::cli
