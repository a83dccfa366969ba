#pragma once

#include <cstddef>
#include <vector>

#include "report/table.h"

// How a table is set in LaTeX so that it fits a page: which columns stand beside each other, which of them wrap, and
// which rows come into one float. Widths are in em of the table's font (`\small`), from estimates that are on the large
// side. A page of an article in one column, the narrowest that tables are made for, has 38 of them; a column of a
// two-column page 24.

namespace memuse::report {

inline constexpr double kLatexPageWidth = 36.0;
inline constexpr double kLatexColumnWidth = 23.0;
inline constexpr double kLatexColumnGap = 1.4;  ///< between two columns

struct LatexColumn {
  std::size_t column = 0;  ///< index into `Table::columns`
  double width = 0.0;
  bool wraps = false;
};

/// Columns that stand beside each other: the label columns and some of the others.
struct LatexPart {
  std::vector<LatexColumn> columns;
  [[nodiscard]] double width() const;
  [[nodiscard]] bool wraps() const;
};

/// Splits the table's columns into parts that fit a page, of at most `max_columns` columns beside the labels.
[[nodiscard]] std::vector<LatexPart> latex_parts(const Table& table, std::size_t max_columns);

/// Rows of one part in one float.
struct LatexBlock {
  std::size_t part = 0;
  std::size_t first_row = 0, end_row = 0;  ///< half-open
};

/// Floats, each with its blocks, none higher than a page.
[[nodiscard]] std::vector<std::vector<LatexBlock>> latex_floats(const Table& table,
                                                                const std::vector<LatexPart>& parts);

}  // namespace memuse::report
