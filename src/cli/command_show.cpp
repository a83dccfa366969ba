#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "report/show.h"
#include "report/show_judges.h"
#include "workflow/judgement_sets.h"
#include "workflow/study.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ShowArguments {
  std::string name;
  std::string database;
  std::string judge;
  std::vector<std::string> source_roots;
  bool json = false;
};

report::ShowOptions show_options(const workflow::Study& study) {
  return {terminal_width(), colour_wanted(), study.judgement_set().judge, std::nullopt};
}

/// The episode's source, or a warning on standard error that says why it cannot be had.
std::optional<Episode> source_or_warning(const workflow::Study& study, const EpisodeRecord& record,
                                         const ShowArguments& arguments) {
  std::string why;
  auto episode = study.source(record, parse_source_roots(arguments.source_roots), why);
  if (!episode) std::fputs(fmt::format("memuse: the text cannot be shown: {}\n", why).c_str(), stderr);
  return episode;
}

ExitCode print_view(const ShowArguments& arguments, const std::string& text, const Json& json) {
  if (arguments.json) {
    print_json(json);
  } else {
    print(text);
  }
  return ExitCode::ok;
}

ExitCode show_run(const ShowArguments& arguments) {
  const workflow::Study study(arguments.database, arguments.judge);
  const auto records = study.run(arguments.name);
  const auto options = show_options(study);
  return print_view(arguments, report::show_run(records, options), report::show_run_json(records, options));
}

ExitCode show_episode(const ShowArguments& arguments) {
  const workflow::Study study(arguments.database, arguments.judge);
  const EpisodeSpansRecord record = study.episode(arguments.name);
  const auto episode = source_or_warning(study, record.episode, arguments);
  const Episode* text = episode ? &*episode : nullptr;
  const auto options = show_options(study);
  return print_view(arguments, report::show_episode(text, record, options),
                    report::show_episode_json(text, record, options));
}

ExitCode show_span(const ShowArguments& arguments) {
  const auto [name, number] = split_span_name(arguments.name);
  const workflow::Study study(arguments.database, arguments.judge);
  const EpisodeSpansRecord record = study.episode(name);
  const auto episode = source_or_warning(study, record.episode, arguments);
  const Episode* text = episode ? &*episode : nullptr;
  report::ShowOptions options = show_options(study);
  options.details = study.judging(record.episode, number);
  return print_view(arguments, report::show_span(text, record, number, options),
                    report::show_span_json(text, record, number, options));
}

ExitCode show_item(const ShowArguments& arguments) {
  const workflow::Study study(arguments.database, arguments.judge);
  const auto options = show_options(study);
  std::string text;
  Json json = Json::array();
  for (const graph::ItemLineage& lineage : study.items({arguments.name, {}, {}, {}})) {
    if (!text.empty()) text += "\n";
    text += report::show_item(lineage, options);
    json.push_back(report::show_item_json(lineage, options));
  }
  return print_view(arguments, text, json);
}

ExitCode show_judges(const ShowArguments& arguments) {
  const auto facts = workflow::judgement_set_facts(arguments.database);
  return print_view(arguments, report::show_judges(facts, {terminal_width(), colour_wanted(), {}}),
                    report::show_judges_json(facts));
}

void add_judges_view(CLI::App& show, Invocation& invocation) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = show.add_subcommand("judges", "All judgement sets: spans, calls, cost, models, sample, settings");
  add_database_option(*command, arguments->database);
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer("Example:\n  memuse show judges --db out/memuse.db");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return show_judges(*arguments); }; });
}

void add_view(CLI::App& show, Invocation& invocation, const char* name, const char* what, const char* name_help,
              const char* example, ExitCode (*view)(const ShowArguments&)) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = show.add_subcommand(name, what);
  command->add_option("name", arguments->name, name_help)->required();
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  add_source_root_option(*command, arguments->source_roots);
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer(std::string("Example:\n  ") + example);
  command->callback(
      [arguments, &invocation, view] { invocation.action = [arguments, view] { return view(*arguments); }; });
}

}  // namespace

void add_show_command(CLI::App& app, Invocation& invocation) {
  CLI::App* show = app.add_subcommand("show", "Look at a run, an episode, a span, an item, or the judges");
  show->require_subcommand(1);
  add_view(*show, invocation, "run", "A run: a line per episode", "CONFIGURATION/RUN, or RUN when only one has it",
           "memuse show run cards/r1 --db out/memuse.db", show_run);
  add_view(*show, invocation, "episode", "An episode: outcome, steps, deliveries, spans",
           "EPISODE, RUN/EPISODE or CONFIGURATION/RUN/EPISODE", "memuse show episode cards/r1/ep-01 --db out/memuse.db",
           show_episode);
  add_view(*show, invocation, "span",
           "A span: placed text, window, the action with the carried value, labels, reasons, quotes",
           "EPISODE/S1, RUN/EPISODE/S1 or CONFIGURATION/RUN/EPISODE/S1",
           "memuse show span cards/r1/ep-01/S1 --db out/memuse.db", show_span);
  add_view(*show, invocation, "item", "A memory item: who made its versions, deliveries, what came of them",
           "The item's id", "memuse show item N-17 --db out/memuse.db", show_item);
  add_judges_view(*show, invocation);
  show->footer(
      "Examples:\n"
      "  memuse show run cards/r1 --db out/memuse.db\n"
      "  memuse show span cards/r1/ep-01/S1 --db out/memuse.db");
}

}  // namespace memuse::cli
