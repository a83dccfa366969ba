#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_options.h"
#include "cli/terminal.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

struct ReportCommand {
  ReportArguments report;
  std::string output;
  std::uint64_t megabytes = 30;
  std::string text_limit = "auto";
  std::size_t items = 2000;
};

/// `auto`, `all`, or a number of bytes.
void read_text_limit(const std::string& text, workflow::ReportSize& size) {
  if (text == "auto") return;
  if (text == "all") {
    size.text_limit = static_cast<std::size_t>(-1);
    return;
  }
  try {
    std::size_t read = 0;
    size.text_limit = std::stoul(text, &read);
    if (read == text.size() && text.front() != '-') return;
  } catch (const std::exception&) {  // reported below
  }
  throw Error(ExitCode::usage,
              fmt::format("--text-limit takes auto, all or a number of bytes, not '{}'", printable(text)));
}

/// What is in the page, and what was left out and where it can be seen.
std::string summary_text(const workflow::ReportSummary& summary, const std::string& output) {
  std::string text = fmt::format("{}: {:.1f} MB, {}, {}", printable(output), static_cast<double>(summary.bytes) / 1e6,
                                 plural(summary.episodes, "episode"), plural(summary.items, "item"));
  if (summary.text_limit && *summary.text_limit != static_cast<std::size_t>(-1)) {
    text += fmt::format("; longer texts shortened to {} bytes and marked", *summary.text_limit);
  }
  text += "\n";
  const std::uint64_t left = summary.episodes - summary.episodes_with_details;
  if (left > 0) text += fmt::format("details of {} left out (--max-mb)\n", plural(left, "episode"));
  const std::uint64_t items_left = summary.items - summary.items_with_lineage;
  if (items_left > 0) text += fmt::format("lineage of {} left out (--items, --max-mb)\n", plural(items_left, "item"));
  if (summary.sources_missing > 0) {
    text += fmt::format("the source of {} could not be read again: no transcript (see --source-root)\n",
                        plural(summary.sources_missing, "episode"));
  }
  if (left + items_left > 0 || summary.text_limit) text += "memuse view shows all of it\n";
  return text;
}

ExitCode write_report(const ReportCommand& arguments) {
  workflow::ReportSize size;
  size.most_bytes = arguments.megabytes * 1'000'000;
  size.most_items = arguments.items;
  read_text_limit(arguments.text_limit, size);
  const workflow::ReportOptions options = report_options(arguments.report);
  TerminalProgress progress;
  workflow::ReportSummary summary;
  // An interrupted report must not take the place of an older one.
  struct Stopped {};
  try {
    write_output(arguments.output, [&](std::ostream& out) {
      summary = workflow::write_report(options, size, out, progress, stop_requested());
      if (summary.interrupted) throw Stopped{};
    });
  } catch (const Stopped&) {
    std::fputs("stopped; nothing was written\n", stderr);
    return ExitCode::interrupted;
  }
  std::fputs(summary_text(summary, arguments.output).c_str(), stderr);
  return summary.sources_missing > 0 ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_report_arguments(CLI::App& command, ReportArguments& arguments) {
  add_database_option(command, arguments.database);
  add_judgement_set_option(command, arguments.judge);
  add_source_root_option(command, arguments.source_roots);
  command.add_option("--baseline", arguments.baseline, "Configuration to compare with (default: the manifest's)");
  command.add_option("--prices", arguments.prices,
                     "Estimate the cost of calls that have none: shipped, or a price table (JSON)");
}

workflow::ReportOptions report_options(const ReportArguments& arguments) {
  workflow::ReportOptions options;
  options.database = arguments.database;
  options.judge = arguments.judge;
  options.roots = parse_source_roots(arguments.source_roots);
  options.tables.baseline = arguments.baseline;
  options.tables.prices = workflow::load_prices(arguments.prices);
  return options;
}

void add_report_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand("report", "One HTML page: profiles, episodes, evidence, lineage, judges");
  command->description(
      "Writes one page of HTML that opens from disk in any current browser and needs nothing else: the tables and\n"
      "figures of a study, every episode with its transcript, credit windows and verdicts down to the quoted line,\n"
      "every memory with its lineage, and the judges.");
  add_report_arguments(*command, arguments->report);
  command->add_option("-o,--output", arguments->output, "The file to write")->required();
  command->add_option("--max-mb", arguments->megabytes, "Megabytes that the page may have")->capture_default_str();
  command
      ->add_option("--text-limit", arguments->text_limit,
                   "Bytes kept of each text: auto (as many as fit), all, or a number; quotes and memory are kept")
      ->capture_default_str();
  command->add_option("--items", arguments->items, "Items with their lineage, harm first; all are listed")
      ->capture_default_str();
  command->footer(
      "Exit code 1 when the source of an episode could not be read again: its transcript is missing, the rest is "
      "there.\n"
      "Examples:\n"
      "  memuse report --db out/memuse.db -o report.html\n"
      "  memuse report --db out/memuse.db -o small.html --text-limit 200\n"
      "For what does not fit a page: memuse view --db out/memuse.db");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return write_report(*arguments); }; });
}

}  // namespace memuse::cli
