#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "report/tables.h"

// What the profile tables share: their columns and the common end of their captions.

namespace memuse::report {

/// A column of a table and the profile behind it.
struct ProfileColumn {
  std::string key;
  std::string name;
  const rules::Profile* profile = nullptr;  ///< lives as long as the study
};

[[nodiscard]] std::vector<ProfileColumn> profile_columns(const rules::StudyProfile& study, Pooling pooling);

/// A table with a label column and one column per profile, still without rows.
[[nodiscard]] Table table_over(const std::vector<ProfileColumn>& columns, std::string name, std::string title,
                               std::string label_heading);

/// Appends a row; `cell` makes the cell of a profile.
template <typename MakeCell>
void add_row(Table& table, const std::vector<ProfileColumn>& columns, std::string key, std::string group,
             std::string label, const MakeCell& cell) {
  Row row{std::move(key), std::move(group), {Cell::text(std::move(label))}};
  for (const ProfileColumn& column : columns) row.cells.push_back(cell(*column.profile));
  table.rows.push_back(std::move(row));
}

/// "Judge tracer/1; rule set memuse-rules/1; tokens by utf8-bytes/4.", what the judge does not assess, how
/// much of the spans a sample covers, and how the judge agrees with labels.
[[nodiscard]] std::string provenance(const rules::StudyProfile& study, const JudgementSetRecord& set);

/// "n = 1,204 profiled spans (a 800, b 404)."
[[nodiscard]] std::string sample_sizes(const std::vector<ProfileColumn>& columns);

}  // namespace memuse::report
