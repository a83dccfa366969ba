#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/check_output.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/rules_output.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "workflow/check_job.h"
#include "workflow/manifest_draft.h"

namespace memuse::cli {
namespace {

struct CheckArguments {
  TraceOptions traces;
  std::string draft_manifest;
  std::string bad;
  std::string bad_raw;
  bool verbose = false;
  bool json = false;
  bool show_matches = false;
  bool list_rules = false;
};

void refuse_clashes(const CheckArguments& arguments) {
  const bool to_output[] = {arguments.draft_manifest == "-", arguments.bad == "-", arguments.json};
  if (std::count(std::begin(to_output), std::end(to_output), true) > 1) {
    throw Error(ExitCode::usage,
                "--json, --draft-manifest - and --bad - all want standard output; name a file for one of them");
  }
  if (!arguments.bad_raw.empty() && arguments.bad.empty()) throw Error(ExitCode::usage, "--bad-raw wants --bad");
  if (arguments.show_matches && arguments.traces.rules.empty()) {
    throw Error(ExitCode::usage, "--show-matches wants --rules");
  }
}

/// Reads the traces; what is set aside goes to the file of `--bad`.
workflow::CheckReport read_traces(const CheckArguments& arguments) {
  const workflow::IngestOptions options = ingest_options(arguments.traces, "");
  workflow::CheckWishes wishes;
  wishes.matches = arguments.show_matches;
  if (arguments.bad.empty()) return workflow::check_traces(options, wishes);
  if (!arguments.bad_raw.empty()) wishes.raw_folder = arguments.bad_raw;
  workflow::CheckReport report;
  write_output(arguments.bad, [&](std::ostream& out) {
    wishes.set_aside = &out;
    report = workflow::check_traces(options, wishes);
  });
  return report;
}

ExitCode check(const CheckArguments& arguments) {
  if (arguments.list_rules) {
    if (arguments.json) {
      print_json(rules_json(arguments.traces.rules));
    } else {
      print(rules_text(arguments.traces.rules));
    }
    return ExitCode::ok;
  }
  refuse_clashes(arguments);
  std::error_code ignored;
  if (arguments.draft_manifest != "-" && std::filesystem::exists(arguments.draft_manifest, ignored)) {
    throw Error(ExitCode::usage, fmt::format("{} is there already and was left alone; name another file for the draft",
                                             printable(arguments.draft_manifest)));
  }
  const workflow::CheckReport report = read_traces(arguments);
  if (!arguments.draft_manifest.empty()) {
    const std::string folder = std::filesystem::path(arguments.draft_manifest).parent_path().string();
    write_output(arguments.draft_manifest, [&](std::ostream& out) {
      out << workflow::manifest_draft(report.files, arguments.traces.traces, folder);
    });
  }
  if (!arguments.draft_manifest.empty() && arguments.draft_manifest != "-") {
    std::fputs(fmt::format("draft of a manifest written to {}\n", printable(arguments.draft_manifest)).c_str(), stderr);
  }
  if (!arguments.bad.empty() && arguments.bad != "-") {
    std::fputs(fmt::format("{} of what was set aside written to {}\n", plural(report.set_aside_listed, "line"),
                           printable(arguments.bad))
                   .c_str(),
               stderr);
  }
  if (arguments.draft_manifest != "-" && arguments.bad != "-") {
    const CheckView view{arguments.verbose, arguments.show_matches, !arguments.traces.rules.empty()};
    if (arguments.json) {
      print_json(check_json(report, view));
    } else {
      print(check_text(report, view));
    }
  }
  if (stop_requested()) return ExitCode::interrupted;
  return report.has_errors() ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_check_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command =
      app.add_subcommand("check", "Read traces strictly, store nothing: formats, counts, grades, every fault");
  add_trace_arguments(*command, arguments->traces);
  command->add_option("--draft-manifest", arguments->draft_manifest,
                      "Write a manifest of the runs that were found, to be completed by hand (- for standard output)");
  command->add_option("--bad", arguments->bad,
                      "List everything that was set aside, one JSON object a line, with file, line, bytes and reason "
                      "(- for standard output)");
  command->add_option("--bad-raw", arguments->bad_raw,
                      "With --bad: copy the records that were set aside, as they are, into files in this folder, which "
                      "must be empty or new");
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  command->add_flag("--verbose", arguments->verbose, "Name every file and every fault, also of many");
  command->add_flag("--show-matches", arguments->show_matches, "List every delivery that the rules of --rules find");
  command->add_flag("--list-rules", arguments->list_rules,
                    "List the presets for --rules (with --rules: the rules of these), and how sure each form is");
  command->footer(
      "Exit code 1 when a fault of severity error was found. What the report says: docs/check.md.\n"
      "Examples:\n"
      "  memuse check runs/\n"
      "  memuse check runs.tar.zst\n"
      "  memuse check runs/ --bad bad.jsonl --bad-raw bad-lines\n"
      "  memuse check runs/ --draft-manifest runs.csv\n"
      "  memuse check runs/ --json | jq .totals\n"
      "  memuse check runs/ --rules my-rules.json --show-matches");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return check(*arguments); }; });
}

}  // namespace memuse::cli
