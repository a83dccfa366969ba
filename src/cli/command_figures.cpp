#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_folder.h"
#include "figures/draw.h"
#include "model/text.h"
#include "workflow/figure_job.h"

namespace memuse::cli {
namespace {

struct FiguresArguments {
  workflow::FigureOptions job;
  std::vector<std::string> groups;
  std::string folder;
  std::vector<std::string> command;  ///< its words for the manifest
};

/// `all` is described by the folder's manifest, a single figure by one of its own, so that neither takes the other's
/// place.
std::string figures_manifest_name(const std::string& figure) {
  return figure == "all" ? "manifest.json" : figure + ".manifest.json";
}

void note_files(const figures::DrawnFigure& drawn, OutputFolder& folder) {
  for (const char* suffix : {".csv", ".gp"}) folder.note(drawn.name + suffix);
  if (!drawn.drawn) return;
  for (const char* suffix : {".pdf", ".svg", ".png"}) folder.note(drawn.name + suffix);
}

ExitCode draw_study_figures(FiguresArguments& arguments) {
  for (const std::string& group : arguments.groups) arguments.job.groups.push_back(parse_configuration_group(group));
  const workflow::StudyFigures made = workflow::study_figures(arguments.job);
  OutputFolder folder(arguments.folder, figures_manifest_name(arguments.job.figure));
  for (const std::string& sentence : made.nothing_to_draw) std::fputs((sentence + "\n").c_str(), stderr);
  std::string not_drawn;
  std::string written;
  for (const figures::Figure& figure : made.figures) {
    const figures::DrawnFigure drawn = figures::write_figure(arguments.folder, figure);
    for (const std::string& remark : drawn.remarks) {
      std::fputs(fmt::format("{}: {}\n", drawn.name, printable(remark)).c_str(), stderr);
    }
    if (!drawn.drawn) not_drawn = drawn.reason;
    note_files(drawn, folder);
    written += fmt::format("{}: {}\n", printable((std::filesystem::path(arguments.folder) / drawn.name).string()),
                           drawn.drawn ? "pdf, svg, png, csv, gp" : "csv, gp");
  }
  if (!made.figures.empty())
    folder.write_manifest(made.contents, {arguments.command, made.token_estimator, std::nullopt, {}});
  print(written);
  if (!not_drawn.empty()) std::fputs(fmt::format("figures were not drawn: {}\n", printable(not_drawn)).c_str(), stderr);
  return made.nothing_to_draw.empty() ? ExitCode::ok : ExitCode::partial;
}

}  // namespace

void add_figures_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<FiguresArguments>();
  CLI::App* command = app.add_subcommand("figures", "Draw figures of a study, an episode or an item");
  command->description(
      "Draws figures as PDF, SVG and PNG, with the data (CSV) and the gnuplot script beside each:\n"
      "  radar             the six axes on a logarithmic scale, with a heatmap of the same numbers\n"
      "  timeline EPISODE  spans, credit windows, uses and effects over the steps of an episode\n"
      "  forms             share of delivered tokens against share of beneficial entries by delivery form\n"
      "  variation         the six axes of every run, with the spread over runs\n"
      "  effects           what came of the entries that were acted on\n"
      "  lineage ITEM      versions of an item, where they came from, where they went and what they did\n"
      "  all               those that need neither an episode nor an item");
  std::vector<std::string> names = workflow::figure_names();
  names.emplace_back("all");
  command->add_option("figure", arguments->job.figure, "Which one, or all")->required()->check(CLI::IsMember(names));
  command->add_option("subject", arguments->job.subject, "Of timeline an episode, of lineage an item");
  add_database_option(*command, arguments->job.database);
  add_judgement_set_option(*command, arguments->job.judge);
  command->add_option("-o,--output", arguments->folder, "The folder to write into")->required();
  command->add_flag("--per-run", arguments->job.per_run,
                    "radar: a figure per configuration with a line per run; forms, effects: runs instead of "
                    "configurations");
  command->add_option("--group", arguments->groups,
                      "NAME=CONFIGURATION,…: configurations that forms and effects take as one (repeatable)");
  command->add_flag("--log-scale", arguments->job.log_shares, "forms: shares on a logarithmic scale");
  command->footer(
      "Beside them: manifest.json (all) or NAME.manifest.json, with what they were made from.\n"
      "Exit code 1 when a figure had nothing to draw. Without gnuplot, data and scripts are written and it is said.\n"
      "Examples:\n"
      "  memuse figures all --db out/memuse.db -o paper/\n"
      "  memuse figures radar --per-run --db out/memuse.db -o paper/\n"
      "  memuse figures timeline cards/r1/points-spare --db out/memuse.db -o paper/\n"
      "  memuse figures forms --group memory=cards,pinned --db out/memuse.db -o paper/");
  command->callback([command, arguments, &invocation] {
    arguments->command = command_words(*command);
    invocation.action = [arguments] { return draw_study_figures(*arguments); };
  });
}

}  // namespace memuse::cli
