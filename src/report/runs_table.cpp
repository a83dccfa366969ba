#include <fmt/format.h>

#include <array>

#include "report/profile_columns.h"
#include "report/tables.h"

namespace memuse::report {
namespace {

using rules::Measure;

struct RunColumn {
  Measure measure;
  const char* name;
};

constexpr std::array<RunColumn, 6> kRunColumns{{{Measure::resolved, "Resolved"},
                                                {Measure::relevance, "Relevance"},
                                                {Measure::acted_on, "Acted on"},
                                                {Measure::benefit, "Benefit"},
                                                {Measure::harm, "Harm"},
                                                {Measure::token_efficiency, "Efficiency"}}};

Cell value_cell(Measure measure, std::optional<double> value) {
  return rules::info(measure).unit == rules::Unit::share ? Cell::percent(value) : Cell::number(value, 2);
}

Row run_row(const std::string& configuration, const rules::RunProfile& run) {
  const rules::Counts& counts = run.profile.counts;
  Row row{run.run, configuration, {Cell::text(run.run), Cell::count(counts.episodes)}};
  row.cells.push_back(Cell::count(counts.without_result));
  for (const RunColumn& column : kRunColumns) {
    row.cells.push_back(value_cell(column.measure, run.profile.value(column.measure)));
  }
  row.cells.push_back(Cell::count(counts.profiled_spans));
  return row;
}

/// One line of the spread over runs; `pick` chooses the value from a measure's spread.
template <typename Pick>
void add_spread_row(const rules::ConfigurationProfile& configuration, const char* label, const Pick& pick,
                    Table& table) {
  Row row{fmt::format("({})", label), configuration.configuration, {Cell::text(label), Cell::text(""), Cell::text("")}};
  for (const RunColumn& column : kRunColumns) {
    const auto& spread = configuration.spread(column.measure);
    row.cells.push_back(spread ? value_cell(column.measure, pick(*spread)) : Cell::missing());
  }
  row.cells.push_back(Cell::text(""));
  table.rows.push_back(std::move(row));
}

void add_spread(const rules::ConfigurationProfile& configuration, Table& table) {
  using Value = std::optional<double>;
  add_spread_row(
      configuration, "mean", [](const stats::Spread& spread) { return Value(spread.mean); }, table);
  add_spread_row(
      configuration, "sd", [](const stats::Spread& spread) { return spread.deviation; }, table);
  add_spread_row(
      configuration, "min", [](const stats::Spread& spread) { return Value(spread.min); }, table);
  add_spread_row(
      configuration, "max", [](const stats::Spread& spread) { return Value(spread.max); }, table);
}

}  // namespace

Table runs_table(const rules::StudyProfile& study, const JudgementSetRecord& set) {
  Table table;
  table.name = "runs";
  table.title = "Runs of each configuration (resolved, relevance, acted on, benefit and harm in %)";
  table.columns = {{"run", "Run", Align::left, 24}, {"episodes", "Tasks"}, {"without_result", "No result"}};
  for (const RunColumn& column : kRunColumns) {
    table.columns.push_back({std::string(rules::info(column.measure).key), column.name});
  }
  table.columns.push_back({"profiled_spans", "Spans"});
  for (const auto& configuration : study.configurations) {
    for (const auto& run : configuration.runs) table.rows.push_back(run_row(configuration.configuration, run));
    if (configuration.runs.size() > 1) add_spread(configuration, table);
  }
  table.caption = fmt::format(
      "Resolved: over all tasks of the run, those without a result counting as not resolved. Relevance, acted on, "
      "benefit "
      "and harm: mean entry share of profiled spans. Efficiency: beneficial entries per million delivered tokens. "
      "Spans: "
      "the profiled ones. sd: sample standard deviation over runs. {} {} A dash: not assessed, or nothing to compute "
      "it "
      "from.",
      sample_sizes(profile_columns(study, Pooling::configurations)), provenance(study, set));
  return table;
}

}  // namespace memuse::report
