#pragma once

#include <string_view>

#include "store/connection.h"
#include "store/reader.h"

namespace memuse::store {

/// Columns of a memory operation in the order that `operation_record` reads, and the tables they come from: the
/// operation is named `o`.
extern const std::string_view kOperationColumns;
extern const std::string_view kOperationTables;

/// The record in the current row of a statement that selects `kOperationColumns` from column `first` on.
OperationRecord operation_record(const Statement& row, int first);

}  // namespace memuse::store
