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

/// Which groups a table has.
enum class MeritGroups : std::uint8_t {
  cells,           ///< cells; `difficulty` has its pools all the same
  cells_and_pools  ///< cells and all pools
};

/// The table of that name, one of `merit_table_names`. It may have no rows, for example `harm` without damaged
/// memory; its caption then says why.
[[nodiscard]] Table merit_table(const merit::Analysis& analysis, std::string_view name,
                                MeritGroups groups = MeritGroups::cells_and_pools);

/// The table as a person wants it: without columns that have nothing but dashes, which the caption then names.
[[nodiscard]] Table without_empty_columns(Table table);

/// What was scored, in sentences: episodes, cells, what was left out and why.
[[nodiscard]] std::string merit_summary(const merit::Analysis& analysis);

}  // namespace memuse::report
