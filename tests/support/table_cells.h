#pragma once

#include <stdexcept>
#include <string>

#include "report/table.h"

namespace memuse::test {

/// The cell of a row (of a group, if one is named) and a column, by their keys; throws when there is none.
inline const report::Cell& cell_at(const report::Table& table, const std::string& row_key,
                                   const std::string& column_key, const std::string& group = "") {
  for (const report::Row& row : table.rows) {
    if (row.key != row_key || (!group.empty() && row.group != group)) continue;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == column_key) return row.cells.at(i);
    }
  }
  throw std::runtime_error("no cell " + group + " / " + row_key + " / " + column_key);
}

inline std::string shown_at(const report::Table& table, const std::string& row_key, const std::string& column_key,
                            const std::string& group = "") {
  return report::shown(cell_at(table, row_key, column_key, group));
}

/// The note that the cell points to; empty when it has none.
inline std::string note_at(const report::Table& table, const std::string& row_key, const std::string& column_key,
                           const std::string& group = "") {
  const std::size_t note = cell_at(table, row_key, column_key, group).note;
  return note == 0 ? std::string() : table.notes.at(note - 1);
}

inline bool is_rectangular(const report::Table& table) {
  for (const report::Row& row : table.rows) {
    if (row.cells.size() != table.columns.size()) return false;
  }
  return true;
}

}  // namespace memuse::test
