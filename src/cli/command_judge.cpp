#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "chat/recording.h"
#include "cli/commands.h"
#include "cli/model_judge_options.h"
#include "cli/model_judge_output.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "model/error.h"
#include "workflow/judge_estimate.h"
#include "workflow/model_judge_job.h"

namespace memuse::cli {
namespace {

struct JudgeArguments {
  std::string database;
  std::string judge = "tracer";
  unsigned jobs = 0;
  std::vector<std::string> source_roots;
  ModelJudgeArguments model;
  bool json = false;
};

ExitCode judge_with_tracer(const JudgeArguments& arguments) {
  refuse_model_options(arguments.model);
  workflow::JudgeOptions options;
  options.database = arguments.database;
  options.jobs = arguments.jobs;
  options.source_roots = parse_source_roots(arguments.source_roots);
  options.stop = &stop_requested();
  TerminalProgress progress;
  const workflow::JudgeSummary summary = workflow::judge_with_tracer(options, progress);
  list_diagnostics(summary.diagnostics, false);
  print_summary(arguments.json, to_json(summary), to_text(summary));
  return exit_code(summary);
}

ExitCode estimate(const workflow::ModelJudgeOptions& options, bool json) {
  TerminalProgress progress;
  const workflow::JudgeEstimate estimate = workflow::estimate_judging(options, progress);
  list_diagnostics(estimate.diagnostics, false);
  if (json) {
    print_json(to_json(estimate));
  } else {
    print(to_text(estimate));
  }
  return estimate.unread > 0 ? ExitCode::partial : ExitCode::ok;
}

ExitCode judge_with_model(const JudgeArguments& arguments) {
  TerminalProgress progress;
  workflow::ModelJudgeOptions options =
      arguments.judge == "replay" ? replay_options(arguments.model) : chat_options(arguments.model);
  options.database = arguments.database;
  options.source_roots = parse_source_roots(arguments.source_roots);
  options.stop = &stop_requested();
  if (arguments.model.dry_run) return estimate(options, arguments.json);
  const std::unique_ptr<chat::ChatModel> model =
      arguments.judge == "replay" ? chat::replay(arguments.model.from) : chat_model(arguments.model, options, progress);
  const workflow::ModelJudgeSummary summary = workflow::judge_with_model(options, *model, progress);
  list_diagnostics(summary.diagnostics, false);
  if (!arguments.model.record.empty() && summary.kept + summary.unresolved_before > 0) {
    progress.notice(fmt::format("{} answered before this command and not in the recording",
                                plural(summary.kept + summary.unresolved_before, "span")));
  }
  print_summary(arguments.json, to_json(summary), to_text(summary));
  return exit_code(summary);
}

}  // namespace

void add_judge_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<JudgeArguments>();
  CLI::App* command = app.add_subcommand("judge", "Rate every delivered entry that has no answer yet");
  add_database_option(*command, arguments->database);
  command
      ->add_option("--judge", arguments->judge,
                   "The judge: tracer (built in, deterministic, needs no model), chat (a language model behind an "
                   "endpoint), replay (a recording of one)")
      ->capture_default_str()
      ->check(CLI::IsMember({"tracer", "chat", "replay"}));
  command->add_option("--jobs", arguments->jobs, "Threads of the tracer (default: one per core)")
      ->check(CLI::Range(1, 1024));
  add_source_root_option(*command, arguments->source_roots);
  command->add_flag("--json", arguments->json, "Print the summary and all diagnostics as JSON");
  add_model_judge_options(*command, arguments->model);
  command->footer(
      "The judge reads the traces again from where they were ingested. docs/tracer.md says what the built-in judge "
      "can\n"
      "see, docs/agentic-judge.md how a language model judges, docs/endpoints.md how to reach one.\n"
      "Examples:\n"
      "  memuse judge --db study.db\n"
      "  memuse judge --db study.db --source-root /old/place=/new/place\n"
      "  memuse judge --db study.db --judge chat --model MODEL --dry-run          what it may cost\n"
      "  memuse judge --db study.db --judge chat --model MODEL --max-cost 20      OPENAI_API_KEY holds the key\n"
      "  memuse judge --db study.db --judge chat --model MODEL --base-url http://localhost:8000/v1 --record rec\n"
      "  memuse judge --db study.db --judge replay --from rec                     no network, the same bytes");
  command->callback([arguments, &invocation] {
    invocation.action = [arguments] {
      return arguments->judge == "tracer" ? judge_with_tracer(*arguments) : judge_with_model(*arguments);
    };
  });
}

}  // namespace memuse::cli
