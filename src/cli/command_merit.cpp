#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/merit_explain.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "figures/draw.h"
#include "model/text.h"
#include "report/merit_figures.h"
#include "report/merit_json.h"
#include "report/merit_tables.h"
#include "stats/merit_bootstrap.h"
#include "workflow/merit_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MeritArguments {
  TraceOptions traces;
  workflow::MeritOptions job;
  TableOutput output;
  std::string table;
  std::string folder;
  std::string explain;
  std::string resampler = "clusters";
  CLI::Option* resamples = nullptr;
  CLI::Option* seed = nullptr;
};

/// What is printed when no table is named: what every run has, then what this one has, too.
std::vector<std::string> chosen_tables(const MeritArguments& arguments, const merit::Analysis& analysis) {
  if (arguments.table == "all") return report::merit_table_names();
  if (!arguments.table.empty()) return {arguments.table};
  std::vector<std::string> tables{"measures"};
  if (analysis.cells.size() > 1) tables.emplace_back("difficulty");
  const bool priced = std::any_of(analysis.cells.begin(), analysis.cells.end(),
                                  [](const merit::Group& cell) { return cell.rankings.has_value(); });
  if (priced) tables.emplace_back("cost");
  return tables;
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string rendered(const MeritArguments& arguments, const merit::Analysis& analysis, report::TableFormat format,
                     const report::TableStyle& style) {
  if (format == report::TableFormat::json && arguments.table.empty()) return json_text(report::merit_json(analysis));
  const std::vector<std::string> names = chosen_tables(arguments, analysis);
  if (format == report::TableFormat::json && names.size() > 1) {
    Json tables = Json::array();
    for (const std::string& name : names) tables.push_back(report::to_json(report::merit_table(analysis, name)));
    return json_text(tables);
  }
  std::string text;
  const auto groups = arguments.table.empty() ? report::MeritGroups::cells : report::MeritGroups::cells_and_pools;
  for (const std::string& name : names) {
    if (!text.empty()) text += "\n";
    report::Table table = report::merit_table(analysis, name, groups);
    // Programs want the same columns always.
    if (format != report::TableFormat::csv && format != report::TableFormat::json) {
      table = report::without_empty_columns(std::move(table));
    }
    text += report::render(table, format, style);
  }
  const bool for_reading = format == report::TableFormat::text && arguments.table.empty();
  if (!for_reading) return text;
  std::string others;
  for (const std::string& name : report::merit_table_names()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) others += (others.empty() ? "" : ", ") + name;
  }
  return report::merit_summary(analysis) + "\n\n" + text + "\nMore with --table: " + others + ", all" +
         (analysis.pools.empty() ? "" : " (these also have what is pooled over cells)") + ".\n";
}

void write_folder(const std::string& folder, const merit::Analysis& analysis) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ExitCode::environment, fmt::format("cannot make {}: {}", printable(folder), error.message()));
  }
  const auto write = [&](const std::string& file, const std::string& text) {
    write_output((fs::path(folder) / file).string(), [&](std::ostream& out) { out << text; });
  };
  constexpr std::pair<report::TableFormat, const char*> kFormats[] = {{report::TableFormat::text, "txt"},
                                                                      {report::TableFormat::markdown, "md"},
                                                                      {report::TableFormat::latex, "tex"},
                                                                      {report::TableFormat::csv, "csv"},
                                                                      {report::TableFormat::json, "json"}};
  for (const std::string& name : report::merit_table_names()) {
    const report::Table table = report::merit_table(analysis, name);
    for (const auto& [format, suffix] : kFormats) {
      write(fmt::format("{}.{}", table.name, suffix), report::render(table, format));
    }
  }
  write("merit.json", json_text(report::merit_json(analysis)));
}

/// Draws all figures; says which pictures are missing or leave something out.
void draw_figures(const std::string& folder, const merit::Analysis& analysis) {
  std::string not_drawn;
  for (const figures::Figure& figure : report::merit_figures(analysis)) {
    const figures::DrawnFigure drawn = figures::write_figure(folder, figure);
    for (const std::string& remark : drawn.remarks) {
      std::fputs(fmt::format("{}: {}\n", drawn.name, printable(remark)).c_str(), stderr);
    }
    if (!drawn.drawn) not_drawn = drawn.reason;
  }
  if (!not_drawn.empty()) std::fputs(fmt::format("figures were not drawn: {}\n", printable(not_drawn)).c_str(), stderr);
}

void settle_resampling(MeritArguments& arguments) {
  merit::AnalysisOptions& analysis = arguments.job.analysis;
  if (analysis.as_published || arguments.resampler == stats::kMeritResampler) {
    if (arguments.resamples->count() + arguments.seed->count() > 0) {
      throw Error(
          ExitCode::usage,
          "the resampler of MERIT has its own 10,000 resamples and seed 0: leave --resamples and --seed out, or "
          "take --resampler clusters");
    }
    analysis.resampling = {merit::Resampler::merit, stats::kMeritResamples, stats::kMeritSeed};
  }
}

ExitCode measure(MeritArguments& arguments) {
  if (!arguments.explain.empty()) {
    if (!arguments.table.empty() || !arguments.folder.empty()) {
      throw Error(ExitCode::usage, "--explain prints one episode; leave --table and --all out");
    }
    workflow::ValueTracingOptions job;
    job.input = ingest_options(arguments.traces, "");
    return print_explained_values(job, arguments.explain, arguments.output);
  }
  settle_resampling(arguments);
  if (arguments.table == "all" && arguments.output.chosen() == report::TableFormat::csv) {
    throw Error(ExitCode::usage, "a CSV file holds one table; name one, or take --all FOLDER");
  }
  if (arguments.table.empty() && arguments.output.chosen() == report::TableFormat::csv) arguments.table = "measures";
  arguments.job.traces = ingest_options(arguments.traces, "");
  TerminalProgress progress;
  const workflow::MeritResult result = workflow::measure_merit(arguments.job, progress);
  list_diagnostics(result.diagnostics, false);
  if (result.interrupted) return ExitCode::interrupted;
  if (result.analysis.met_again > 0) {
    std::fputs(fmt::format("{} of the same task, condition and id stand in two of the files and were counted once, for "
                           "example {}; name one of the two\n",
                           plural(result.analysis.met_again, "episode"), result.analysis.met_again_example)
                   .c_str(),
               stderr);
  }
  if (!arguments.folder.empty()) {
    write_folder(arguments.folder, result.analysis);
    draw_figures(arguments.folder, result.analysis);
    std::fputs(fmt::format("tables and figures written to {}\n", printable(arguments.folder)).c_str(), stderr);
  } else {
    write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
      return rendered(arguments, result.analysis, format, style);
    });
  }
  return result.has_errors() ? ExitCode::partial : ExitCode::ok;
}

}  // namespace

void add_merit_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<MeritArguments>();
  CLI::App* command = app.add_subcommand(
      "merit", "Does memory help the task? Success, use, harm and cost by condition (MERIT's measures)");
  command->description(
      "Measures what memory does for the task, from scored episodes with probes: success of dependent and independent\n"
      "tasks, use of what memory held, harm by damaged memory, cost and what it buys, spread over seeds, and the\n"
      "control with full replay; docs/merit-measures.md has every definition.");
  add_trace_arguments(*command, arguments->traces, "--trace-format");
  add_task_file_options(*command, arguments->traces);
  add_table_output_options(*command, arguments->output, "; without --table one document with every number");
  std::vector<std::string> tables = report::merit_table_names();
  tables.emplace_back("all");
  command
      ->add_option("--table", arguments->table,
                   "measures, difficulty, harm, hypotheses, cost, seeds, replay, or all (default: a selection)")
      ->check(CLI::IsMember(tables));
  command->add_option("--all", arguments->folder,
                      "Write every table in every format, all figures, and the document of --json into this folder");
  command->add_option("--explain", arguments->explain,
                      "Instead of tables the lines behind the gold values of one episode: EPISODE, RUN/EPISODE or "
                      "CONFIGURATION/RUN/EPISODE; wants gold values, see --probes (memuse values counts them)");
  merit::AnalysisOptions& analysis = arguments->job.analysis;
  command->add_option("--baseline", analysis.baseline, "The condition without memory")->capture_default_str();
  command->add_option("--replay", analysis.replay, "The condition that replays all earlier transcripts")
      ->capture_default_str();
  command->add_option("--family", arguments->job.families, "JSON file that declares families of comparisons");
  command
      ->add_option("--resampler", arguments->resampler,
                   "clusters (whole arcs, percentile interval) or merit (MERIT's own, to the last bit)")
      ->capture_default_str()
      ->check(CLI::IsMember({std::string("clusters"), std::string(stats::kMeritResampler)}));
  arguments->resamples =
      command->add_option("--resamples", analysis.resampling.resamples, "Bootstrap resamples; 0 for no intervals")
          ->capture_default_str()
          ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{10'000'000}));
  arguments->seed =
      command->add_option("--seed", analysis.resampling.seed, "Seed of the resamples")->capture_default_str();
  command->add_flag("--as-published", analysis.as_published,
                    "MERIT's numbers as it prints them: --resampler merit, and infinite CAMU and break-even");
  command->footer(
      "Exit code 1 when some input was set aside, or an episode stood in two files.\n"
      "Examples:\n"
      "  memuse merit runs/\n"
      "  memuse merit runs/ --table hypotheses --format latex -o hypotheses.tex\n"
      "  memuse merit d1-easy.results.jsonl.gz --as-published --json -o merit.json\n"
      "  memuse merit runs/ --family families.json --all paper/\n"
      "  memuse merit runs/ --probes probes.jsonl --explain b27d9f13");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return measure(*arguments); }; });
}

}  // namespace memuse::cli
