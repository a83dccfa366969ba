#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

// Cells of a table that was printed as JSON.

namespace memuse::test {

/// The cell of a row (of a group, where it matters) and a column, by their keys; throws when there is none.
inline nlohmann::json json_cell(const nlohmann::json& table, const std::string& row, const std::string& column,
                                const std::string& group = {}) {
  for (const nlohmann::json& candidate : table.at("rows")) {
    if (candidate.at("key") != row || (!group.empty() && candidate.at("group") != group)) continue;
    for (std::size_t i = 0; i < table.at("columns").size(); ++i) {
      if (table["columns"][i].at("key") == column) return candidate.at("cells").at(i);
    }
  }
  throw std::runtime_error("no cell " + group + "/" + row + "/" + column);
}

inline double json_value(const nlohmann::json& table, const std::string& row, const std::string& column,
                         const std::string& group = {}) {
  return json_cell(table, row, column, group).at("value").get<double>();
}

inline std::uint64_t json_count(const nlohmann::json& table, const std::string& row, const std::string& column,
                                const std::string& group = {}) {
  return json_cell(table, row, column, group).at("value").get<std::uint64_t>();
}

}  // namespace memuse::test
