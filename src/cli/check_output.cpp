#include "cli/check_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/rules_output.h"
#include "model/fault_advice.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

using CheckJson = nlohmann::ordered_json;

constexpr VisibilityGrade kVisibilityGrades[] = {VisibilityGrade::exact, VisibilityGrade::rebuilt,
                                                 VisibilityGrade::partial, VisibilityGrade::unknown};
constexpr DeliveryGrade kDeliveryGrades[] = {DeliveryGrade::annotated, DeliveryGrade::by_rule,
                                             DeliveryGrade::not_recorded, DeliveryGrade::none};
/// So many files are named also without a fault, so many faults listed one by one, so many fields of a format.
constexpr std::size_t kFew = 20;

CheckJson name_or_null(const std::string& name) {
  return name.empty() ? CheckJson(nullptr) : CheckJson(name);
}

CheckJson reasons_json(const std::map<Fault, std::uint64_t>& reasons) {
  CheckJson all = CheckJson::object();
  for (const auto& [fault, count] : reasons) all[std::string(fault_name(fault))] = count;
  return all;
}

CheckJson records_json(const ingest::RecordCounts& records) {
  return {{"read", records.read},
          {"kept", records.kept()},
          {"kept_in_part", records.in_part},
          {"set_aside", records.set_aside},
          {"reasons", reasons_json(records.reasons)},
          {"part_reasons", reasons_json(records.part_reasons)},
          {"input_reasons", reasons_json(records.input_reasons)}};
}

CheckJson file_json(const ingest::FileReport& file) {
  return {{"path", file.path},
          {"format", name_or_null(file.format)},
          {"format_version", name_or_null(file.format_version)},
          {"bytes", file.bytes},
          {"episodes", file.episodes},
          {"outcomes", file.outcomes.size()},
          {"records", records_json(file.records)},
          {"diagnostics", to_json(file.diagnostics)}};
}

CheckJson format_json(const workflow::FormatGroup& group) {
  return {{"format", name_or_null(group.format)},
          {"format_version", name_or_null(group.version)},
          {"files", group.files},
          {"bytes", group.bytes},
          {"episodes", group.episodes},
          {"outcomes", group.outcomes},
          {"records", records_json(group.records)}};
}

CheckJson fault_json(const workflow::FaultGroup& group) {
  const std::string_view advice = fault_advice(group.fault);
  return {{"severity", severity_name(group.severity)},
          {"fault", fault_name(group.fault)},
          {"sentence", fault_sentence(group.fault)},
          {"advice", advice.empty() ? CheckJson(nullptr) : CheckJson(advice)},
          {"count", group.count},
          {"files", group.files},
          {"first",
           {{"file", group.first.file},
            {"line", group.first.line},
            {"byte", group.first.byte},
            {"detail", group.first.detail}}}};
}

CheckJson unknown_json(const workflow::UnknownThing& thing) {
  return {{"format", name_or_null(thing.format)},
          {"kind", thing.is_type ? "type" : "field"},
          {"name", thing.name},
          {"count", thing.count},
          {"files", thing.files}};
}

CheckJson grades_json(const std::uint64_t (&counts)[4], const auto& grades) {
  CheckJson all;
  for (const auto grade : grades) all[std::string(name(grade))] = counts[static_cast<std::size_t>(grade)];
  return all;
}

CheckJson totals_json(const workflow::CheckReport::Totals& totals) {
  return {{"episodes", totals.episodes},
          {"finalised", totals.finalised},
          {"outcomes", totals.outcomes},
          {"probes", totals.probes},
          {"steps", totals.steps},
          {"messages", totals.messages},
          {"actions", totals.actions},
          {"deliveries", totals.deliveries},
          {"unconsumed_deliveries", totals.unconsumed},
          {"deliveries_without_spans", totals.without_spans},
          {"spans", totals.spans},
          {"visibility", grades_json(totals.visibility, kVisibilityGrades)},
          {"delivery_grade", grades_json(totals.delivery_grade, kDeliveryGrades)}};
}

template <typename Rows, typename Make>
CheckJson json_list(const Rows& rows, const Make& make) {
  CheckJson list = CheckJson::array();
  for (const auto& row : rows) list.push_back(make(row));
  return list;
}

std::string format_name(const std::string& format, const std::string& version) {
  if (format.empty()) return "not used";
  return fmt::format("{}{}{}", format, version.empty() ? "" : "/", version);
}

std::string grades_text(const std::uint64_t (&counts)[4], const auto& grades) {
  std::string text;
  for (const auto grade : grades) {
    const std::uint64_t count = counts[static_cast<std::size_t>(grade)];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(grade));
  }
  return text;
}

/// `, 3 episodes, 1 outcome, 812 bytes`, of these what there is.
std::string amounts(std::uint64_t episodes, std::uint64_t outcomes, std::uint64_t bytes) {
  std::string text;
  if (episodes > 0) text += ", " + plural(episodes, "episode");
  if (outcomes > 0) text += ", " + plural(outcomes, "outcome");
  if (bytes > 0) text += fmt::format(", {} bytes", bytes);
  return text;
}

std::string loss_text(const ingest::RecordCounts& records) {
  if (records.set_aside == 0) return {};
  return fmt::format(", {} of {} set aside", records.set_aside, plural(records.read, "record"));
}

std::string file_text(const ingest::FileReport& file, bool with_faults) {
  std::string text = fmt::format("{}: {}{}{}\n", printable(file.path), format_name(file.format, file.format_version),
                                 amounts(file.episodes, file.outcomes.size(), file.bytes), loss_text(file.records));
  if (!with_faults) return text;
  for (const Diagnostic& diagnostic : file.diagnostics) text += "  " + to_line(diagnostic) + "\n";
  return text;
}

std::string formats_text(const std::vector<workflow::FormatGroup>& groups) {
  std::string text;
  for (const workflow::FormatGroup& group : groups) {
    text += fmt::format("{}: {}{}{}\n", format_name(group.format, group.version), plural(group.files, "file"),
                        amounts(group.episodes, group.outcomes, group.bytes), loss_text(group.records));
  }
  return text;
}

std::string reasons_text(const std::map<Fault, std::uint64_t>& reasons) {
  std::string text;
  for (const auto& [fault, count] : reasons) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, fault_name(fault));
  }
  return text;
}

/// `records: 12 read = 11 kept + 1 set aside (1 invalid_json)`.
std::string records_text(const ingest::RecordCounts& records) {
  std::string text =
      fmt::format("records: {} read = {} kept + {} set aside", records.read, records.kept(), records.set_aside);
  if (records.set_aside > 0) text += fmt::format(" ({})", reasons_text(records.reasons));
  text += "\n";
  if (!records.part_reasons.empty()) {
    text += fmt::format("parts of kept records set aside: {}\n", reasons_text(records.part_reasons));
  }
  return text;
}

std::string place_text(const Diagnostic& diagnostic) {
  std::string text = printable(diagnostic.file);
  if (diagnostic.line > 0) text += fmt::format(":{} (byte {})", diagnostic.line, diagnostic.byte);
  if (!diagnostic.detail.empty()) text += ": " + diagnostic.detail;
  return text;
}

std::string fault_text(const workflow::FaultGroup& group) {
  std::string text = fmt::format("{}: {} in {}: {}\n  first: {}\n", severity_name(group.severity), group.count,
                                 plural(group.files, "file"), fault_sentence(group.fault), place_text(group.first));
  const std::string_view advice = fault_advice(group.fault);
  if (!advice.empty()) text += fmt::format("  do: {}\n", advice);
  return text;
}

std::string faults_text(const std::vector<workflow::FaultGroup>& groups, bool with_notes) {
  std::string text;
  std::uint64_t notes = 0;
  for (const workflow::FaultGroup& group : groups) {
    if (group.severity == Severity::note && !with_notes) {
      notes += group.count;
    } else {
      text += fault_text(group);
    }
  }
  if (notes > 0)
    text += fmt::format("{} on what was read, nothing lost; --verbose lists them\n", plural(notes, "note"));
  return text.empty() ? text : "\n" + text;
}

/// What an adapter does not know, which is how a new version of a format shows.
std::string unknown_text(const std::vector<workflow::UnknownThing>& things, bool all) {
  std::string text;
  std::string format;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const workflow::UnknownThing& thing : things) {
    if (text.empty() || thing.format != format) {
      format = thing.format;
      shown = 0;
      text += fmt::format("not known to the adapter {}:\n", format_name(format, ""));
    }
    if (!all && shown >= kFew) {
      ++left_out;
      continue;
    }
    ++shown;
    text += fmt::format("  {} `{}`: {} in {}\n", thing.is_type ? "type" : "field", thing.name, thing.count,
                        plural(thing.files, "file"));
  }
  if (left_out > 0) text += fmt::format("… and {} more; --verbose lists all\n", left_out);
  return text.empty() ? text : "\n" + text;
}

std::size_t number_of_diagnostics(const workflow::CheckReport& report) {
  std::size_t number = 0;
  for (const ingest::FileReport& file : report.files) number += file.diagnostics.size();
  return number;
}

std::string files_text(const workflow::CheckReport& report, const CheckView& view) {
  const bool all_files = view.verbose || report.files.size() <= kFew;
  const bool all_faults = view.verbose || number_of_diagnostics(report) <= kFew;
  std::string text;
  for (const Diagnostic& diagnostic : report.input_diagnostics) text += to_line(diagnostic) + "\n";
  for (const ingest::FileReport& file : report.files) {
    if (all_files || (all_faults && !file.diagnostics.empty())) text += file_text(file, all_faults);
  }
  if (!all_files) text += formats_text(report.formats);
  return text;
}

std::string totals_text(const workflow::CheckReport::Totals& totals) {
  std::string text = fmt::format(
      "{} ({} finalised, {} with an outcome, {} with a probe), {} steps, {} actions, {} messages\n"
      "{} deliveries ({} unconsumed), {} spans\n",
      plural(totals.episodes, "episode"), totals.finalised, totals.outcomes, totals.probes, totals.steps,
      totals.actions, totals.messages, totals.deliveries, totals.unconsumed, totals.spans);
  if (totals.without_spans > 0) {
    text += fmt::format("{} of the deliveries have no span, for the visible input of their episodes is unknown\n",
                        totals.without_spans);
  }
  if (totals.episodes > 0) {
    text += fmt::format("visible input: {}\ndeliveries: {}\n", grades_text(totals.visibility, kVisibilityGrades),
                        grades_text(totals.delivery_grade, kDeliveryGrades));
  }
  return text;
}

}  // namespace

CheckJson check_json(const workflow::CheckReport& report, const CheckView& view) {
  CheckJson all = {{"files", json_list(report.files, file_json)},
                   {"inputs", to_json(report.input_diagnostics)},
                   {"formats", json_list(report.formats, format_json)},
                   {"records", records_json(report.records)},
                   {"faults", json_list(report.faults, fault_json)},
                   {"unknown", json_list(report.unknown, unknown_json)},
                   {"totals", totals_json(report.totals)}};
  if (view.matches) {
    all["matches_total"] = report.matches.total();
    all["matches"] = matches_json(report.matches);
  }
  if (!view.rules) all["rule_suggestions"] = suggestions_json(report.suggestions);
  return all;
}

std::string check_text(const workflow::CheckReport& report, const CheckView& view) {
  std::string text = files_text(report, view);
  text += faults_text(report.faults, view.verbose);
  if (number_of_diagnostics(report) > kFew || view.verbose) text += unknown_text(report.unknown, view.verbose);
  text += "\n" + records_text(report.records) + totals_text(report.totals);
  const std::uint64_t annotated = report.totals.delivery_grade[static_cast<std::size_t>(DeliveryGrade::annotated)];
  if (view.rules && annotated > 0) {
    text += fmt::format(
        "rules were not applied to {} of grade `annotated` (a memuse-trace says `delivery_grade`; "
        "without it, it is annotated)\n",
        plural(annotated, "episode"));
  }
  if (view.matches) text += "\n" + matches_text(report.matches);
  if (!view.rules) text += suggestions_text(report.suggestions);
  return text;
}

}  // namespace memuse::cli
