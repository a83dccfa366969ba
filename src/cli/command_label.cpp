#include <fmt/format.h>

#include <algorithm>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "workflow/label_read_job.h"
#include "workflow/label_write_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFaultsListed = 50;

struct LabelArguments {
  workflow::LabelWriteOptions write;
  workflow::LabelReadOptions read;
  std::string database;
  std::string labeller;
  std::vector<std::string> source_roots;
  bool json = false;
};

ExitCode interrupted_or(bool interrupted, bool partial, const char* how_to_go_on) {
  if (interrupted) {
    std::fputs(fmt::format("interrupted; {}\n", how_to_go_on).c_str(), stderr);
    return ExitCode::interrupted;
  }
  return partial ? ExitCode::partial : ExitCode::ok;
}

Json label_json(const workflow::LabelWriteSummary& summary) {
  Json json{{"folder", summary.folder},
            {"spans", summary.spans},
            {"episodes", summary.episodes},
            {"unread", summary.unread},
            {"sample", nullptr},
            {"note", summary.note},
            {"interrupted", summary.interrupted},
            {"diagnostics", cli::to_json(summary.diagnostics)}};
  if (summary.sample) {
    json["sample"] = {
        {"size", summary.sample->size}, {"seed", summary.sample->seed}, {"population", summary.sample->population}};
  }
  return json;
}

std::string label_text(const workflow::LabelWriteSummary& summary) {
  std::string text = fmt::format("{} of {} to label in {}", plural(summary.spans, "span"),
                                 plural(summary.episodes, "episode"), printable(summary.folder));
  if (summary.sample) {
    text += fmt::format(" (a sample: {} of {} spans)", summary.spans + summary.unread, summary.sample->population);
  }
  if (summary.unread > 0) text += fmt::format(", {} left out because their source could not be read", summary.unread);
  text += "; README.txt there says how\n";
  return summary.note.empty() ? text : text + summary.note + "\n";
}

ExitCode write_folder(const LabelArguments& arguments) {
  workflow::LabelWriteOptions options = arguments.write;
  options.database = arguments.database;
  options.labeller = arguments.labeller;
  options.source_roots = parse_source_roots(arguments.source_roots);
  options.stop = &stop_requested();
  TerminalProgress progress;
  const workflow::LabelWriteSummary summary = workflow::write_label_folder(options, progress);
  list_diagnostics(summary.diagnostics, false);
  print_summary(arguments.json, label_json(summary), label_text(summary));
  return interrupted_or(summary.interrupted, summary.unread > 0, "remove the folder and write it again");
}

Json label_json(const std::vector<workflow::LabelFault>& faults) {
  Json json = Json::array();
  for (const workflow::LabelFault& fault : faults) {
    json.push_back({{"file", fault.file}, {"line", fault.line}, {"span", fault.span}, {"message", fault.message}});
  }
  return json;
}

Json label_json(const workflow::LabelReadSummary& summary) {
  return {{"judge", summary.judge},
          {"spans", summary.spans},
          {"stored", summary.stored},
          {"replaced", summary.replaced},
          {"entries", summary.entries},
          {"blank", summary.blank},
          {"refused", summary.refused},
          {"moved_quotes", summary.moved_quotes},
          {"interrupted", summary.interrupted},
          {"unfound_quotes", label_json(summary.unfound)},
          {"faults", label_json(summary.faults)}};
}

std::string label_text(const workflow::LabelReadSummary& summary) {
  std::string text =
      fmt::format("{}: labels of {} ({}) stored", printable(summary.judge), plural(summary.stored, "span"),
                  summary.entries == 1 ? "1 entry" : fmt::format("{} entries", summary.entries));
  if (summary.replaced > 0) text += fmt::format(", {} of them in place of earlier ones", summary.replaced);
  if (summary.blank > 0) text += fmt::format("; {} not filled in", plural(summary.blank, "span"));
  if (summary.refused > 0) text += fmt::format("; {} refused", plural(summary.refused, "span"));
  if (summary.moved_quotes > 0) {
    text += fmt::format("; {} from step 0 found in memory text and cited from there",
                        plural(summary.moved_quotes, "quote"));
  }
  if (!summary.unfound.empty()) {
    text += fmt::format("; {} kept that stand nowhere", plural(summary.unfound.size(), "quote"));
  }
  return text + "\n";
}

void list_faults(const std::vector<workflow::LabelFault>& faults) {
  for (std::size_t i = 0; i < std::min(faults.size(), kFaultsListed); ++i) {
    std::fputs((to_line(faults[i]) + "\n").c_str(), stderr);
  }
  if (faults.size() > kFaultsListed) {
    std::fputs(fmt::format("… and {} more; --json lists all\n", faults.size() - kFaultsListed).c_str(), stderr);
  }
}

ExitCode read_back(const LabelArguments& arguments) {
  workflow::LabelReadOptions options = arguments.read;
  options.database = arguments.database;
  options.labeller = arguments.labeller;
  options.source_roots = parse_source_roots(arguments.source_roots);
  options.stop = &stop_requested();
  TerminalProgress progress;
  const workflow::LabelReadSummary summary = workflow::read_labels(options, progress);
  list_faults(summary.unfound);
  list_faults(summary.faults);
  const bool quotes = std::any_of(summary.faults.begin(), summary.faults.end(), [](const workflow::LabelFault& fault) {
    return fault.message.find("does not stand in") != std::string::npos;
  });
  if (quotes && !options.accept_unfound_quotes) {
    std::fputs("(quotes of something that labellers were shown and the trace does not hold: --accept-unfound-quotes)\n",
               stderr);
  }
  print_summary(arguments.json, label_json(summary), label_text(summary));
  return interrupted_or(summary.interrupted, !summary.faults.empty(), "the same command reads everything again");
}

ExitCode label(const LabelArguments& arguments) {
  if (arguments.write.folder.empty() == arguments.read.path.empty()) {
    throw Error(ExitCode::usage, "say either --write DIR (make forms) or --read PATH (take in what was filled in)");
  }
  return arguments.write.folder.empty() ? read_back(arguments) : write_folder(arguments);
}

}  // namespace

void add_label_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<LabelArguments>();
  CLI::App* command = app.add_subcommand("label", "Have people, or other tools, label spans: write forms, read them");
  add_database_option(*command, arguments->database);
  auto* write = command->add_option("--write", arguments->write.folder,
                                    "Write a new folder: the evidence of every span and a form to fill in");
  auto* read = command->add_option("--read", arguments->read.path,
                                   "Read such a folder, or JSON Lines with one labelled entry a line");
  write->excludes(read);
  command->add_option("--labeller", arguments->labeller, "Whose labels these are; they are stored as label:NAME");
  auto* sample = command->add_option("--sample", arguments->write.sample,
                                     "With --write: draw so many spans, by configuration, run and delivery form");
  sample->check(CLI::PositiveNumber)->needs(write);
  command
      ->add_option("--seed", arguments->write.seed, "With --write: seed of the sample and of a blind folder's numbers")
      ->capture_default_str();
  command->add_flag("--blind", arguments->write.blind, "With --write: neutral names of folders, no outcome")
      ->needs(write);
  command->add_flag("--reference", arguments->write.evidence.reference, "With --write: show the reference solution")
      ->needs(write);
  command->add_flag("--outcome", arguments->write.evidence.outcome, "With --write: show the recorded outcome")
      ->needs(write);
  command
      ->add_flag("--accept-unfound-quotes", arguments->read.accept_unfound_quotes,
                 "With --read: store labels also where a quote does not stand in the place that it cites")
      ->needs(read);
  add_source_root_option(*command, arguments->source_roots);
  command->add_flag("--json", arguments->json, "Print the summary and all faults as JSON");
  command->footer(
      "Labels are checked as a judge's answers are, except that nobody knows what was read. Several people may label\n"
      "the same spans; `memuse agree` compares them (docs/labels-and-agreement.md).\n"
      "Examples:\n"
      "  memuse label --db out/memuse.db --write to-label --sample 50 --seed 1 --blind\n"
      "  memuse label --db out/memuse.db --read to-label --labeller ada\n"
      "  memuse agree tracer/1 label:ada --db out/memuse.db");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return label(*arguments); }; });
}

}  // namespace memuse::cli
