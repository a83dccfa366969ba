#include "report/compare_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/text.h"
#include "report/compare_words.h"
#include "report/decimals.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using attribution::ComparedUnit;
using attribution::Comparison;
using attribution::MeasureDifference;

constexpr std::size_t kHeadingName = 40;

int decimals_of(ComparedUnit unit) {
  switch (unit) {
    case ComparedUnit::dollars:
      return 4;
    case ComparedUnit::tokens:
      return 1;
    default:
      return 2;
  }
}

Cell value_cell(const std::optional<double>& value, ComparedUnit unit) {
  return unit == ComparedUnit::share ? Cell::percent(value, decimals_of(unit)) : Cell::number(value, decimals_of(unit));
}

Cell difference_cell(const MeasureDifference& row) {
  Cell cell = value_cell(row.difference, row.measure->unit);
  if (row.interval) cell.interval = std::pair(row.interval->low, row.interval->high);
  return cell;
}

std::string row_label(const attribution::ComparedMeasure& measure) {
  switch (measure.unit) {
    case ComparedUnit::share:
      return fmt::format("{} %", measure.label);
    case ComparedUnit::dollars:
      return fmt::format("{}, USD", measure.label);
    case ComparedUnit::per_hundred_spans:
      return fmt::format("{} per 100 spans", measure.label);
    default:
      return std::string(measure.label);
  }
}

/// Adds a note once and gives its number.
std::size_t note_number(Table& table, const std::string& note) {
  const auto found = std::find(table.notes.begin(), table.notes.end(), note);
  if (found != table.notes.end()) return static_cast<std::size_t>(found - table.notes.begin()) + 1;
  table.notes.push_back(note);
  return table.notes.size();
}

std::string heading(const Comparison& comparison, const CompareReport& report) {
  if (report.comparisons.size() == 1) return {};
  return fmt::format("{} against {} ({} tasks)", shortened(printable(comparison.second), kHeadingName),
                     shortened(printable(report.request.first), kHeadingName),
                     with_separators(comparison.pairing.tasks.size()));
}

Row measure_row(const MeasureDifference& row, const Comparison& comparison, const CompareReport& report, Table& table) {
  const ComparedUnit unit = row.measure->unit;
  Cell difference = difference_cell(row);
  if (row.few_events) {
    difference.note = note_number(table, "few events: fewer than 10 on both sides together, so no interval");
  }
  Cell p = Cell::number(row.p, kPDecimals);
  if (row.p_method == attribution::PMethod::mcnemar) {
    const std::string test =
        fmt::format("exact McNemar test: {} and {} tasks resolved by one side alone",
                    with_separators(comparison.discordant_first), with_separators(comparison.discordant_second));
    p.note = note_number(table, test);
  }
  return {std::string(row.measure->key),
          heading(comparison, report),
          {Cell::text(row_label(*row.measure)), value_cell(row.first, unit), value_cell(row.second, unit), difference,
           p, Cell::number(row.holm_p, kPDecimals)}};
}

Table compare_frame(const CompareReport& report) {
  Table table;
  table.name = "compare";
  const bool is_one = report.comparisons.size() == 1;
  const std::string& first = report.request.first;
  table.title =
      is_one ? fmt::format("{} against {}", shortened(printable(report.comparisons.front().second), kHeadingName),
                           shortened(printable(first), kHeadingName))
             : fmt::format("Comparisons with {}", shortened(printable(first), kHeadingName));
  table.columns = {{"label", "", Align::left},
                   {"first", first, Align::right},
                   {"second", is_one ? report.comparisons.front().second : std::string("Compared"), Align::right},
                   {"difference", "Difference", Align::right},
                   {"p", "p", Align::right},
                   {"holm_p", "Holm p", Align::right}};
  return table;
}

}  // namespace

Table compare_table(const CompareReport& report) {
  Table table = compare_frame(report);
  for (const Comparison& comparison : report.comparisons) {
    for (const MeasureDifference& row : comparison.measures) {
      table.rows.push_back(measure_row(row, comparison, report, table));
    }
  }
  for (const std::string& warning : compare_warnings(report)) table.caption += "Warning: " + warning + ". ";
  table.caption += compare_caption(report);
  return table;
}

Table unmatched_table(const CompareReport& report) {
  Table table;
  table.name = "unmatched";
  table.title = "Tasks that only one side has";
  table.caption = "They are in no value of the comparison.";
  table.columns = {{"task", "Task", Align::left}, {"side", "Only in", Align::left}};
  table.label_columns = 2;
  for (const Comparison& comparison : report.comparisons) {
    const auto add = [&](const std::vector<attribution::NameId>& tasks, const std::string& side) {
      for (const attribution::NameId task : tasks) {
        const std::string& name = report.study.name(task);
        table.rows.push_back({name, heading(comparison, report), {Cell::text(name), Cell::text(side)}});
      }
    };
    add(comparison.pairing.only_first, report.request.first);
    add(comparison.pairing.only_second, comparison.second);
  }
  return table;
}

std::vector<std::string> compare_warnings(const CompareReport& report) {
  std::vector<std::string> warnings;
  for (const Comparison& comparison : report.comparisons) {
    for (const std::string& warning : warnings_of(comparison, report.declared)) {
      warnings.push_back(fmt::format("{} against {}: {}", shortened(printable(comparison.second), kHeadingName),
                                     shortened(printable(report.request.first), kHeadingName), warning));
    }
  }
  return warnings;
}

}  // namespace memuse::report
