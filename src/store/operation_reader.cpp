#include "store/operation_reader.h"

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

}  // namespace memuse::store
