#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/rules_output.h"
#include "cli/terminal.h"
#include "model/text.h"
#include "workflow/manifest_draft.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  TraceOptions traces;
  std::string draft_manifest;
  bool verbose = false;
  bool json = false;
  bool show_matches = false;
  bool list_rules = false;
};

constexpr VisibilityGrade kVisibilityGrades[] = {VisibilityGrade::exact, VisibilityGrade::rebuilt,
                                                 VisibilityGrade::partial, VisibilityGrade::unknown};
constexpr DeliveryGrade kDeliveryGrades[] = {DeliveryGrade::annotated, DeliveryGrade::by_rule,
                                             DeliveryGrade::not_recorded, DeliveryGrade::none};

Json check_json(const workflow::CheckReport& report, const CheckArguments& arguments) {
  const auto& totals = report.totals;
  Json files = Json::array();
  for (const ingest::FileReport& file : report.files) {
    files.push_back({{"path", file.path},
                     {"format", file.format.empty() ? Json(nullptr) : Json(file.format)},
                     {"format_version", file.format_version.empty() ? Json(nullptr) : Json(file.format_version)},
                     {"bytes", file.bytes},
                     {"episodes", file.episodes},
                     {"outcomes", file.outcomes.size()},
                     {"diagnostics", to_json(file.diagnostics)}});
  }
  Json visibility;
  for (const VisibilityGrade grade : kVisibilityGrades) {
    visibility[std::string(name(grade))] = totals.visibility[static_cast<std::size_t>(grade)];
  }
  Json deliveries;
  for (const DeliveryGrade grade : kDeliveryGrades) {
    deliveries[std::string(name(grade))] = totals.delivery_grade[static_cast<std::size_t>(grade)];
  }
  Json all = {{"files", files},
              {"inputs", to_json(report.input_diagnostics)},
              {"totals",
               {{"episodes", totals.episodes},
                {"finalised", totals.finalised},
                {"outcomes", totals.outcomes},
                {"probes", totals.probes},
                {"steps", totals.steps},
                {"messages", totals.messages},
                {"actions", totals.actions},
                {"deliveries", totals.deliveries},
                {"unconsumed_deliveries", totals.unconsumed},
                {"spans", totals.spans},
                {"visibility", visibility},
                {"delivery_grade", deliveries}}}};
  if (arguments.show_matches) {
    all["matches_total"] = report.matches.total();
    all["matches"] = matches_json(report.matches);
  }
  if (arguments.traces.rules.empty()) all["rule_suggestions"] = suggestions_json(report.suggestions);
  return all;
}

std::string format_text(const ingest::FileReport& file) {
  if (file.format.empty()) return "not used";
  return fmt::format("{}{}{}", file.format, file.format_version.empty() ? "" : "/", file.format_version);
}

std::string grades_text(const std::uint64_t (&counts)[4], const auto& grades) {
  std::string text;
  for (const auto grade : grades) {
    const std::uint64_t count = counts[static_cast<std::size_t>(grade)];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(grade));
  }
  return text;
}

/// Formats by name and version, with their files.
std::string formats_text(const std::vector<ingest::FileReport>& files) {
  struct Count {
    std::uint64_t files = 0, episodes = 0, outcomes = 0, bytes = 0;
  };
  std::map<std::string, Count> counts;
  for (const ingest::FileReport& file : files) {
    Count& count = counts[format_text(file)];
    ++count.files;
    count.episodes += file.episodes;
    count.outcomes += file.outcomes.size();
    count.bytes += file.bytes;
  }
  std::string text;
  for (const auto& [format, count] : counts) {
    text += fmt::format("{}: {}", format, plural(count.files, "file"));
    if (count.episodes > 0) text += ", " + plural(count.episodes, "episode");
    if (count.outcomes > 0) text += ", " + plural(count.outcomes, "outcome");
    text += (count.bytes > 0 ? fmt::format(", {} bytes", count.bytes) : std::string()) + "\n";
  }
  return text;
}

/// One line for a file, and its faults below it.
std::string file_text(const ingest::FileReport& file) {
  std::string text = fmt::format("{}: {}", printable(file.path), format_text(file));
  if (file.episodes > 0) text += ", " + plural(file.episodes, "episode");
  if (!file.outcomes.empty()) text += ", " + plural(file.outcomes.size(), "outcome");
  text += (file.bytes > 0 ? fmt::format(", {} bytes", file.bytes) : std::string()) + "\n";
  for (const Diagnostic& diagnostic : file.diagnostics) text += "  " + to_line(diagnostic) + "\n";
  return text;
}

std::string check_text(const workflow::CheckReport& report, const CheckArguments& arguments) {
  constexpr std::size_t kFewFiles = 20;
  std::string text;
  for (const Diagnostic& diagnostic : report.input_diagnostics) text += to_line(diagnostic) + "\n";
  const bool all = arguments.verbose || report.files.size() <= kFewFiles;
  for (const ingest::FileReport& file : report.files) {
    if (all || !file.diagnostics.empty()) text += file_text(file);
  }
  if (!all) text += formats_text(report.files);
  const auto& totals = report.totals;
  text += fmt::format(
      "\n{} ({} finalised, {} with an outcome, {} with a probe), {} steps, {} actions, {} messages\n"
      "{} deliveries ({} unconsumed), {} spans\n",
      plural(totals.episodes, "episode"), totals.finalised, totals.outcomes, totals.probes, totals.steps,
      totals.actions, totals.messages, totals.deliveries, totals.unconsumed, totals.spans);
  const std::uint64_t annotated = totals.delivery_grade[static_cast<std::size_t>(DeliveryGrade::annotated)];
  if (!arguments.traces.rules.empty() && annotated > 0) {
    text += fmt::format(
        "rules were not applied to {} of grade `annotated` (a memuse-trace says `delivery_grade`; "
        "without it, it is annotated)\n",
        plural(annotated, "episode"));
  }
  if (totals.episodes > 0) {
    text += fmt::format("visible input: {}\ndeliveries: {}\n", grades_text(totals.visibility, kVisibilityGrades),
                        grades_text(totals.delivery_grade, kDeliveryGrades));
  }
  if (arguments.show_matches) text += "\n" + matches_text(report.matches);
  if (arguments.traces.rules.empty()) text += suggestions_text(report.suggestions);
  return text;
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
  if (arguments.draft_manifest == "-" && arguments.json) {
    throw Error(ExitCode::usage, "--json and --draft-manifest - both want standard output; name a file for the draft");
  }
  std::error_code ignored;
  if (arguments.draft_manifest != "-" && std::filesystem::exists(arguments.draft_manifest, ignored)) {
    throw Error(ExitCode::usage, fmt::format("{} is there already and was left alone; name another file for the draft",
                                             printable(arguments.draft_manifest)));
  }
  if (arguments.show_matches && arguments.traces.rules.empty()) {
    throw Error(ExitCode::usage, "--show-matches wants --rules");
  }
  const workflow::CheckReport report =
      workflow::check_traces(ingest_options(arguments.traces, ""), arguments.show_matches);
  if (!arguments.draft_manifest.empty()) {
    const std::string folder = std::filesystem::path(arguments.draft_manifest).parent_path().string();
    write_output(arguments.draft_manifest, [&](std::ostream& out) {
      out << workflow::manifest_draft(report.files, arguments.traces.traces, folder);
    });
  }
  if (!arguments.draft_manifest.empty() && arguments.draft_manifest != "-") {
    std::fputs(fmt::format("draft of a manifest written to {}\n", printable(arguments.draft_manifest)).c_str(), stderr);
  }
  if (arguments.draft_manifest != "-") {
    if (arguments.json) {
      print_json(check_json(report, arguments));
    } else {
      print(check_text(report, arguments));
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
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  command->add_flag("--verbose", arguments->verbose, "Name every file, also of many without a fault");
  command->add_flag("--show-matches", arguments->show_matches, "List every delivery that the rules of --rules find");
  command->add_flag("--list-rules", arguments->list_rules,
                    "List the presets for --rules (with --rules: the rules of these), and how sure each form is");
  command->footer(
      "Exit code 1 when anything was set aside.\n"
      "Examples:\n"
      "  memuse check runs/\n"
      "  memuse check runs.tar.zst\n"
      "  memuse check runs/ --draft-manifest runs.csv\n"
      "  memuse check runs/ --json | jq .totals\n"
      "  memuse check runs/ --rules my-rules.json --show-matches");
  command->callback([arguments, &invocation] { invocation.action = [arguments] { return check(*arguments); }; });
}

}  // namespace memuse::cli
