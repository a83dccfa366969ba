#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "merit/analysis.h"
#include "report/table.h"

// Tables of task-level utility. Definitions: docs/merit-measures.md.

namespace memuse::report {

/// Names of the tables, in the order in which they are best read: `measures`, `difficulty`, `harm`, `hypotheses`,
/// `cost`, `seeds`, `replay`.
[[nodiscard]] const std::vector<std::string>& merit_table_names();

/// The table of that name, one of `merit_table_names`. It may have no rows, for example `harm` without damaged
/// memory; its caption then says why.
[[nodiscard]] Table merit_table(const merit::Analysis& analysis, std::string_view name);

/// What was scored, in sentences: episodes, cells, what was left out and why.
[[nodiscard]] std::string merit_summary(const merit::Analysis& analysis);

}  // namespace memuse::report
