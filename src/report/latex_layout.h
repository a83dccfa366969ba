#pragma once

#include <cstddef>
#include <vector>

#include "report/table.h"

// How a table is set in LaTeX so that it fits a page: which columns stand beside each other, which of them wrap, and
// which rows come into one float. Widths are in em of the table's font, from estimates that are on the large side. The
// narrowest page that tables are made for is that of a 10-point article in one column: 38 em of `\small`, 43 of
// `\footnotesize`. A column of a two-column page has 24 em of `\small`.

namespace memuse::report {

inline constexpr double kLatexSmallPage = 37.0;     ///< of `\small`
inline constexpr double kLatexFootnotePage = 41.5;  ///< of `\footnotesize`, for tables that need more
inline constexpr double kLatexColumnPage = 23.0;    ///< of `\small`
inline constexpr double kLatexColumnGap = 1.5;      ///< between two columns

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

/// The table's columns in one part where they fit beside each other without wrapping, else in parts of at most
/// `max_columns` columns beside the labels.
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
