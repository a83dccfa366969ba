#include "store/operation_reader.h"

#include <fmt/format.h>

#include "store/json_text.h"

namespace memuse::store {

const std::string_view kOperationColumns =
    "o.number, o.op, o.item, o.version, t.body, t.sha256, o.from_versions, o.operation, o.steps, o.at, o.line_order,"
    " o.after_step";
const std::string_view kOperationTables = "memory_operation AS o LEFT JOIN text AS t ON t.id = o.text_id";

OperationRecord operation_record(const Statement& row, int first) {
  OperationRecord operation;
  operation.number = row.number(first);
  operation.op = row.text(first + 1);
  operation.item = row.text(first + 2);
  operation.version = row.optional_text(first + 3);
  operation.text = row.optional_text(first + 4);
  operation.text_sha256 = row.optional_text(first + 5);
  operation.from = string_array(row.text(first + 6));
  operation.operation = row.text(first + 7);
  operation.steps = number_array(row.text(first + 8));
  operation.at = row.text(first + 9);
  operation.line_order = row.number(first + 10);
  operation.after_step = row.number(first + 11);
  return operation;
}

std::vector<SearchRecord::Hit> search_hits(std::string_view returned) {
  std::vector<SearchRecord::Hit> hits;
  for (const nlohmann::json& hit : parse_column(returned)) {
    hits.push_back({hit.at("item").get<std::string>(), optional_field<std::string>(hit, "version"),
                    optional_field<double>(hit, "score")});
  }
  return hits;
}

std::vector<SearchRecord> searches_of(const Connection& connection, std::int64_t episode_id) {
  Statement rows(connection,
                 "SELECT search, query, returned, matched, completed, line_order, step FROM search"
                 " WHERE episode_id = ? ORDER BY number");
  rows.bind(episode_id);
  std::vector<SearchRecord> found;
  while (rows.step()) {
    SearchRecord search;
    search.search = rows.text(0);
    search.query = rows.text(1);
    search.returned = search_hits(rows.text(2));
    search.matched = rows.optional_count(3);
    search.completed = rows.boolean(4);
    search.line_order = rows.number(5);
    search.step = rows.number(6);
    found.push_back(std::move(search));
  }
  return found;
}

std::vector<OperationRecord> operations_of(const Connection& connection, std::int64_t episode_id) {
  Statement rows(connection, fmt::format("SELECT {} FROM {} WHERE o.episode_id = ? ORDER BY o.number",
                                         kOperationColumns, kOperationTables));
  rows.bind(episode_id);
  std::vector<OperationRecord> found;
  while (rows.step()) found.push_back(operation_record(rows, 0));
  return found;
}

}  // namespace memuse::store
