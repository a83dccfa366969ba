#include <algorithm>
#include <vector>

#include "attribution/ratio.h"
#include "report/episode_columns.h"
#include "report/tables.h"

// Intervals for the table `profile`.

namespace memuse::report {
namespace {

/// The measures whose rows the table has.
std::vector<rules::MeasureInfo> measured_rows(const Table& table) {
  std::vector<rules::MeasureInfo> rows;
  for (const rules::MeasureInfo& measure : rules::measures()) {
    const auto is_row = [&measure](const Row& row) { return row.key == measure.key; };
    if (std::any_of(table.rows.begin(), table.rows.end(), is_row)) rows.push_back(measure);
  }
  return rows;
}

Row& row_of(Table& table, std::string_view key) {
  return *std::find_if(table.rows.begin(), table.rows.end(), [key](const Row& row) { return row.key == key; });
}

}  // namespace

Table profile_table(const attribution::StudyFacts& study, const JudgementSetRecord& set, const TableOptions& options) {
  Table table = profile_table(study.profile, set, options.pooling);
  const stats::Resampling resampling = optional_resampling(options);
  if (resampling.resamples == 0) return table;
  const std::vector<rules::MeasureInfo> measures = measured_rows(table);
  std::vector<attribution::Ratio> ratios;
  for (const rules::MeasureInfo& info : measures) {
    ratios.push_back(attribution::measure_ratio(info.measure, study.profile.estimator));
  }
  const std::vector<EpisodeColumn> columns = episode_columns(study, options.pooling);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const auto estimates = attribution::estimate(columns[column].episodes, ratios, resampling);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      Cell& cell = row_of(table, measures[i].key).cells[column + 1];
      cell = with_interval(table, cell, estimates[i]);
    }
  }
  table.caption += interval_words(study, options);
  return table;
}

}  // namespace memuse::report
