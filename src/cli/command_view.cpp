#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_options.h"
#include "cli/terminal.h"

namespace memuse::cli {
namespace {

constexpr int kHighestPort = 65'535;

struct ViewCommand {
  ReportArguments report;
  int port = 0;
};

ExitCode serve_report(const ViewCommand& arguments) {
  // The port first: to learn that it is taken should not need the whole database to be read.
  view::Server::Api api;
  view::Server server(arguments.port, [&api](const view::ViewRequest& request) { return api(request); });
  api = workflow::report_api(report_options(arguments.report));
  print(fmt::format("{}\nCtrl-C stops it.\n", server.address()));
  server.serve(stop_requested());
  return ExitCode::ok;
}

}  // namespace

void add_view_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<ViewCommand>();
  CLI::App* command = app.add_subcommand("view", "The page of `report` from a local server, whole, for large studies");
  command->description(
      "Serves the page of `memuse report` at 127.0.0.1, with all texts whole and read when they are looked at. Only\n"
      "programs of this machine that know the address can read it: it holds a random token. Nothing can be changed.");
  add_report_arguments(*command, arguments->report);
  command->add_option("--port", arguments->port, "Port to listen at (0: any that is free)")
      ->check(CLI::Range(0, kHighestPort))
      ->capture_default_str();
  command->footer(
      "Prints the address and runs until Ctrl-C.\n"
      "Examples:\n"
      "  memuse view --db out/memuse.db\n"
      "  memuse view --db out/memuse.db --port 8000 --source-root /old/runs=/data/runs");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return serve_report(*arguments); }; });
}

}  // namespace memuse::cli
