#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "workflow/evidence_job.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EvidenceArguments {
  std::string span;
  std::string database;
  std::string file;
  std::string section;
  std::string output;
  std::vector<std::string> source_roots;
  evidence::EvidenceOptions options;
  bool json = false;
};

std::string list_text(const evidence::EvidenceSet& set) {
  std::size_t name_width = 0;
  std::uint64_t bytes = 0;
  for (const evidence::EvidenceFile& file : set.files()) {
    name_width = std::max(name_width, file.name.size());
    bytes += file.bytes;
  }
  std::string text =
      fmt::format("Evidence of span S{} of episode {}: {}, {}\n", set.span().number, printable(set.episode().id),
                  plural(set.files().size(), "file"), plural(bytes, "byte"));
  for (const evidence::EvidenceFile& file : set.files()) {
    text += fmt::format("  {:<{}}  {:>8}  {}\n", file.name, name_width, file.bytes, printable(file.summary));
  }
  return text;
}

Json list_json(const workflow::SpanEvidence& made) {
  const evidence::EvidenceSet& set = *made.files;
  Json files = Json::array();
  for (const evidence::EvidenceFile& file : set.files()) {
    Json sections = Json::array();
    for (const evidence::EvidenceSection& section : set.sections(file.name)) {
      sections.push_back({{"section", section.name}, {"begin", section.range.begin}, {"end", section.range.end}});
    }
    files.push_back(
        {{"file", file.name}, {"bytes", file.bytes}, {"summary", file.summary}, {"sections", std::move(sections)}});
  }
  return {{"configuration", set.episode().configuration},
          {"run", set.episode().run},
          {"episode", set.episode().id},
          {"uid", made.uid},
          {"span", fmt::format("S{}", set.span().number)},
          {"reference", set.options().reference},
          {"outcome", set.options().outcome},
          {"files", std::move(files)}};
}

/// The named file, or the section of it that was asked for.
std::string_view chosen_text(const evidence::EvidenceSet& set, const EvidenceArguments& arguments) {
  const std::optional<std::string_view> text = set.text(arguments.file);
  if (!text) {
    throw Error(ExitCode::usage, fmt::format("the evidence of this span has no file '{}'; without --file the command "
                                             "lists all",
                                             printable(arguments.file)));
  }
  if (arguments.section.empty()) return *text;
  for (const evidence::EvidenceSection& section : set.sections(arguments.file)) {
    if (section.name == arguments.section) {
      return text->substr(section.range.begin, section.range.end - section.range.begin);
    }
  }
  throw Error(ExitCode::usage, fmt::format("file {} has no section '{}'; --json lists the sections", arguments.file,
                                           printable(arguments.section)));
}

void print_file(const std::string& output, std::string_view text) {
  if (output.empty() && output_is_terminal()) return print(printable(text, true));
  write_output(output.empty() ? "-" : output, [&](std::ostream& out) { out << text; });
}

/// Makes a folder of our own: new, or empty. So no file of another set is left among these, and no link leads out.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot make the folder {}: {}", printable(folder.string()), error.message()));
  }
  if (!std::filesystem::is_empty(folder, error) || error) {
    throw Error(ExitCode::usage,
                fmt::format("the folder {} is not empty; name a new one with -o", printable(folder.string())));
  }
}

void write_folder(const std::filesystem::path& folder, const evidence::EvidenceSet& set) {
  make_folder(folder);
  make_folder(folder / "steps");
  for (const evidence::EvidenceFile& file : set.files()) {
    write_output((folder / file.name).string(), [&](std::ostream& out) { out << *set.text(file.name); });
  }
}

ExitCode show_evidence(const EvidenceArguments& arguments) {
  if (arguments.json && (!arguments.file.empty() || !arguments.output.empty())) {
    throw Error(ExitCode::usage, "--json prints the list; leave --file and -o out");
  }
  if (!arguments.section.empty() && arguments.file.empty()) {
    throw Error(ExitCode::usage, "--section names a part of a file; say which with --file");
  }
  const auto [name, number] = split_span_name(arguments.span);
  const workflow::SpanEvidence made = workflow::span_evidence(arguments.database, name, number, arguments.options,
                                                              parse_source_roots(arguments.source_roots));
  if (!arguments.file.empty()) {
    print_file(arguments.output, chosen_text(*made.files, arguments));
  } else if (!arguments.output.empty()) {
    write_folder(arguments.output, *made.files);
  } else if (arguments.json) {
    print(list_json(made).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    print(list_text(*made.files));
  }
  return ExitCode::ok;
}

}  // namespace

void add_evidence_command(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<EvidenceArguments>();
  CLI::App* command = app.add_subcommand("evidence", "The evidence files of a span, as a judge reads them");
  command->add_option("span", arguments->span, "EPISODE/S1, RUN/EPISODE/S1 or CONFIGURATION/RUN/EPISODE/S1")
      ->required();
  add_database_option(*command, arguments->database);
  command->add_option("--file", arguments->file, "Print this file (default: list all)");
  command->add_option("--section", arguments->section, "Only this section of the file (D3 of deliveries)");
  command->add_option("-o,--output", arguments->output,
                      "Write the set to a new folder, or with --file that file; byte by byte");
  command->add_flag("--reference", arguments->options.reference, "Add the reference solution, if the trace has one");
  command->add_flag("--outcome", arguments->options.outcome, "Add the recorded result, if there is one");
  add_source_root_option(*command, arguments->source_roots);
  command->add_flag("--json", arguments->json, "Print the list as JSON, with the sections");
  command->footer(
      "docs/evidence.md says what each file holds.\n"
      "Examples:\n"
      "  memuse evidence cards/r1/ep-01/S1 --db out/memuse.db\n"
      "  memuse evidence cards/r1/ep-01/S1 --db out/memuse.db --file target\n"
      "  memuse evidence cards/r1/ep-01/S1 --db out/memuse.db -o ep-01-S1");
  command->callback(
      [arguments, &invocation] { invocation.action = [arguments] { return show_evidence(*arguments); }; });
}

}  // namespace memuse::cli
