#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "report/retrieval_tables.h"
#include "workflow/retrieval_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RetrievalArguments {
  TraceOptions traces;
  workflow::RetrievalOptions job;
  std::string depths = "1,3,5,10,all";
  TableOutput output;
  std::string table;  ///< the one to print; empty for all that have something to say
  bool questions = false;
};

/// Reads `1,3,5,all`.
std::vector<retrieval::Depth> parse_depths(const std::string& text) {
  std::vector<retrieval::Depth> depths;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    constexpr std::size_t kMaxDigits = 9;
    const bool digits = !part.empty() && part.size() <= kMaxDigits &&
                        part.find_first_not_of("0123456789") == std::string::npos &&
                        part != std::string(part.size(), '0');
    if (part != "all" && !digits) {
      throw Error(ExitCode::usage, "-k takes whole numbers from 1 on and `all`, with commas: -k 1,5,all");
    }
    const retrieval::Depth depth = part == "all" ? 0 : std::stoul(part);
    if (std::find(depths.begin(), depths.end(), depth) == depths.end()) depths.push_back(depth);
  }
  return depths;
}

std::vector<report::Table> chosen_tables(const report::RetrievalReport& report, const RetrievalArguments& arguments) {
  if (arguments.table == "retrieval") return {report::retrieval_table(report)};
  if (arguments.table == "checks") return {report::retrieval_checks_table(report)};
  if (arguments.table == "phase") return {report::phase_table(report)};
  if (arguments.table == "questions") return {report::retrieval_questions_table(report)};
  std::vector<report::Table> tables{report::retrieval_table(report)};
  const bool checks = std::any_of(report.configurations.begin(), report.configurations.end(), [](const auto& one) {
    return one.abstention.n + one.newest_returned.n + one.newest_returned.unknown + one.valid_returned.n +
               one.valid_returned.unknown >
           0;
  });
  if (checks) tables.push_back(report::retrieval_checks_table(report));
  if (!report.ingested.empty()) tables.push_back(report::phase_table(report));
  if (arguments.questions) tables.push_back(report::retrieval_questions_table(report));
  return tables;
}

std::string rendered(const report::RetrievalReport& report, const RetrievalArguments& arguments,
                     report::TableFormat format, report::TableStyle style) {
  style.max_columns = 8;  // tokens and latency stay beside the accuracies

  if (format == report::TableFormat::json) {
    return report::retrieval_json(report, arguments.questions).dump(2, ' ', false, Json::error_handler_t::replace) +
           "\n";
  }
  if (format == report::TableFormat::csv && arguments.table.empty()) {
    return report::render(
        arguments.questions ? report::retrieval_questions_table(report) : report::retrieval_table(report), format,
        style);
  }
  std::string text;
  for (const report::Table& table : chosen_tables(report, arguments)) {
    if (!text.empty()) text += "\n";
    text += report::render(table, format, style);
  }
  return text;
}

ExitCode score(RetrievalArguments& arguments) {
  arguments.job.score.depths = parse_depths(arguments.depths);
  if (!arguments.traces.traces.empty() || !arguments.traces.manifest.empty()) {
    arguments.job.traces = ingest_options(arguments.traces, "");
  }
  const ingest::ReadOptions& names = arguments.traces.pipeline.read;
  if (!names.configuration.empty()) arguments.job.configuration = names.configuration;
  if (!names.run.empty()) arguments.job.run = names.run;
  const workflow::RetrievalJob job = workflow::score_retrieval(arguments.job);
  list_diagnostics(job.diagnostics, false);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return rendered(job.report, arguments, format, style);
  });
  return any_error(job.diagnostics) ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_retrieval_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<RetrievalArguments>();
  CLI::App* command = app.add_subcommand(
      "retrieval",
      "Precision, recall, F1 at k, abstention, supersession and time of recorded searches against gold ids");
  add_trace_arguments(*command, arguments->traces, "--trace-format");
  command->add_option("--gold", arguments->job.gold, "Gold questions, JSON Lines (docs/retrieval.md)")->required();
  command->add_option("--results", arguments->job.results,
                      "What was returned, JSON Lines or CSV, instead of (or beside) the searches of traces");
  command->add_option("--ingested", arguments->job.ingested,
                      "Texts that were ingested before the questions, JSON Lines with `text`: they must not hold a "
                      "question");
  command->add_option("-k,--depths", arguments->depths, "First k items to score: numbers and `all`, with commas")
      ->capture_default_str();
  command
      ->add_option("--resamples", arguments->job.score.resampling.resamples,
                   "Bootstrap resamples of questions; 0 for no intervals")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{10'000'000}));
  command->add_option("--seed", arguments->job.score.resampling.seed, "Seed of the resamples")->capture_default_str();
  command->add_flag("--questions", arguments->questions, "Print a row per question, too");
  command->add_option("--table", arguments->table, "Print this table alone: retrieval, checks, phase or questions")
      ->check(CLI::IsMember({"retrieval", "checks", "phase", "questions"}));
  add_table_output_options(*command, arguments->output, "; has all tables, in full precision");
  command->footer(
      "Exit code 1 when rows or traces could not be used (listed).\n"
      "Examples:\n"
      "  memuse retrieval --results results.jsonl --gold gold.jsonl\n"
      "  memuse retrieval runs/ --gold gold.jsonl -k 1,5,all --questions\n"
      "  memuse retrieval --results results.csv --gold gold.jsonl --ingested log.jsonl --format latex");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return score(*arguments); }; });
}

}  // namespace memuse::cli
