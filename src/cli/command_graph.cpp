#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "model/error.h"
#include "report/origins_table.h"
#include "report/show.h"
#include "workflow/lineage_export.h"
#include "workflow/study.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct GraphArguments {
  workflow::ItemName item;
  std::string database, judge;
  TableOutput output;
  bool json = false;
  bool per_run = false;
  bool list = false;
};

ExitCode graph_item(const GraphArguments& arguments) {
  const workflow::Study study(arguments.database, arguments.judge);
  const report::ShowOptions options{terminal_width(), colour_wanted(), study.judgement_set().judge, std::nullopt};
  std::string text;
  Json json = Json::array();
  for (const graph::ItemLineage& lineage : study.items(arguments.item)) {
    if (arguments.json) {
      json.push_back(report::show_item_json(lineage, options));
    } else {
      text += (text.empty() ? "" : "\n") + report::show_item(lineage, options);
    }
  }
  if (arguments.json) {
    print_json(json);
  } else {
    print(text);
  }
  return ExitCode::ok;
}

ExitCode graph_origins(const GraphArguments& arguments) {
  const workflow::Study study(arguments.database, arguments.judge);
  const report::Table table =
      arguments.list ? study.origins_list()
                     : study.origins_table(arguments.per_run ? report::Pooling::runs : report::Pooling::configurations);
  write_tables(arguments.output, [&](report::TableFormat format, const report::TableStyle& style) {
    return report::render(table, format, style);
  });
  return ExitCode::ok;
}

struct GraphExportArguments {
  workflow::ItemName item;
  std::string database, judge, format;
  std::string output = "-";
};

/// The named format, else the one that the file's suffix says, else GraphML.
report::GraphFormat graph_format(const GraphExportArguments& arguments) {
  if (!arguments.format.empty()) return *report::parse_graph_format(arguments.format);
  if (arguments.output.ends_with(".dot") || arguments.output.ends_with(".gv")) return report::GraphFormat::dot;
  return arguments.output.ends_with(".json") ? report::GraphFormat::json : report::GraphFormat::graphml;
}

ExitCode graph_export(const GraphExportArguments& arguments) {
  workflow::LineageExport job{arguments.database, arguments.judge, graph_format(arguments), std::nullopt};
  const workflow::ItemName& item = arguments.item;
  if (!item.item.empty()) {
    job.item = item;
  } else if (!item.configuration.empty() || !item.run.empty() || !item.store.empty()) {
    throw Error(ExitCode::usage, "--configuration, --run and --store say which item is meant; name one with --item");
  }
  write_output(arguments.output, [&](std::ostream& out) { workflow::write_lineage_graph(job, out); });
  return ExitCode::ok;
}

void add_scope_options(CLI::App& command, workflow::ItemName& item) {
  command.add_option("--configuration", item.configuration, "Only the item of this configuration");
  command.add_option("--run", item.run, "Only the item of this run");
  command.add_option("--store", item.store, "Only the item of this memory store");
}

void add_item_view(CLI::App& graph, Invocation& invocation) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command =
      graph.add_subcommand("item", "Ancestry and fate of an item: versions, makers, deliveries, effects");
  command->add_option("item", arguments->item.item, "The item's id")->required();
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  add_scope_options(*command, arguments->item);
  command->add_flag("--json", arguments->json, "Print as JSON (schemas/item-lineage-1.schema.json)");
  command->footer("Example:\n  memuse graph item CARD-1 --run r1 --db out/memuse.db");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return graph_item(*arguments); }; });
}

void add_origins_view(CLI::App& graph, Invocation& invocation) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command = graph.add_subcommand("origins", "Where the beneficial entries come from");
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  add_table_output_options(*command, arguments->output);
  CLI::Option* per_run =
      command->add_flag("--per-run", arguments->per_run, "One column per run instead of per configuration");
  command->add_flag("--list", arguments->list, "One row per beneficial entry, with the operation that made it")
      ->excludes(per_run);
  command->footer(
      "Examples:\n"
      "  memuse graph origins --db out/memuse.db\n"
      "  memuse graph origins --db out/memuse.db --list -o origins.csv");
  command->callback(
      [arguments, &invocation] { invocation.action = [arguments] { return graph_origins(*arguments); }; });
}

void add_graph_export(CLI::App& graph, Invocation& invocation) {
  auto arguments = std::make_shared<GraphExportArguments>();
  CLI::App* command = graph.add_subcommand("export", "Write the lineage graph as GraphML, DOT or JSON");
  add_database_option(*command, arguments->database);
  add_judgement_set_option(*command, arguments->judge);
  command->add_option("--item", arguments->item.item, "Only the lineage of this item (default: the whole study)");
  add_scope_options(*command, arguments->item);
  command
      ->add_option("--format", arguments->format,
                   "graphml, dot or json (default: by the suffix of the output, else graphml)")
      ->check(CLI::IsMember({"graphml", "dot", "json"}));
  command->add_option("-o,--output", arguments->output, "File to write (- for standard output)")->capture_default_str();
  command->footer(
      "Examples:\n"
      "  memuse graph export --db out/memuse.db -o lineage.graphml\n"
      "  memuse graph export --db out/memuse.db --item CARD-1 -o card.dot");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return graph_export(*arguments); }; });
}

}  // namespace

void add_graph_command(CLI::App& app, Invocation& invocation) {
  CLI::App* graph = app.add_subcommand("graph", "Lineage: where memories come from and what became of them");
  graph->require_subcommand(1);
  add_item_view(*graph, invocation);
  add_origins_view(*graph, invocation);
  add_graph_export(*graph, invocation);
  graph->footer(
      "Examples:\n"
      "  memuse graph item CARD-1 --db out/memuse.db\n"
      "  memuse graph origins --db out/memuse.db");
}

}  // namespace memuse::cli
