#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace memuse::cli {
namespace {

struct JudgeArguments {
  std::string database;
  std::string judge = "tracer";
  unsigned jobs = 0;
  std::vector<std::string> source_roots;
  bool json = false;
};

ExitCode judge(const JudgeArguments& arguments) {
  workflow::JudgeOptions options;
  options.database = arguments.database;
  options.jobs = arguments.jobs;
  options.source_roots = parse_source_roots(arguments.source_roots);
  options.stop = &stop_requested();
  TerminalProgress progress;
  const workflow::JudgeSummary summary = workflow::judge_with_tracer(options, progress);
  list_diagnostics(summary.diagnostics, false);
  if (arguments.json) {
    print(to_json(summary).dump(2) + "\n");
  } else {
    std::fputs(to_text(summary).c_str(), stderr);
  }
  return exit_code(summary);
}

}  // namespace

void add_judge_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<JudgeArguments>();
  CLI::App* command = app.add_subcommand("judge", "Rate every delivered entry that has no answer yet");
  add_database_option(*command, arguments->database);
  command->add_option("--judge", arguments->judge, "The judge: tracer (built in, deterministic, needs no model)")
      ->capture_default_str()
      ->check(CLI::IsMember({"tracer"}));
  command->add_option("--jobs", arguments->jobs, "Threads (default: one per core)")->check(CLI::Range(1, 1024));
  add_source_root_option(*command, arguments->source_roots);
  command->add_flag("--json", arguments->json, "Print the summary and all diagnostics as JSON");
  command->footer(
      "The judge reads the traces again from where they were ingested; see docs/tracer.md for what it can see.\n"
      "Examples:\n"
      "  memuse judge --db study.db\n"
      "  memuse judge --db study.db --source-root /old/place=/new/place");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return judge(*arguments); }; });
}

}  // namespace memuse::cli
