#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::ingest {

/// One row of a CSV file.
struct CsvRow {
  std::uint64_t line = 0;  ///< 1-based line of its start
  std::uint64_t byte = 0;  ///< offset of that line
  std::vector<std::string> cells;
  bool closed = true;  ///< false when a quoted cell never ends; it swallows the rest of the text and has no cells
};

/// Cuts comma-separated text (RFC 4180; `\n` or `\r\n` ends a row) into rows and hands each over. Blank lines are no
/// rows; space around unquoted cells is dropped.
void read_csv_rows(std::string_view text, const std::function<void(CsvRow&&)>& sink);

/// A text as a cell that `read_csv_rows` reads back unchanged; quoted only where it must be.
std::string csv_cell(std::string_view text);

}  // namespace memuse::ingest
