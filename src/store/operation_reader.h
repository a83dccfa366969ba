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

/// What an episode recorded, in order. JSON of another shape than memuse writes throws a JSON exception.
std::vector<OperationRecord> operations_of(const Connection& connection, std::int64_t episode_id);
std::vector<SearchRecord> searches_of(const Connection& connection, std::int64_t episode_id);
/// What a search returned, from its column.
std::vector<SearchRecord::Hit> search_hits(std::string_view returned);

}  // namespace memuse::store
