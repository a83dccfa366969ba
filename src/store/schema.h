#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace memuse::store {

/// `PRAGMA application_id` of a memuse database: the letters "mmus".
inline constexpr std::int64_t kApplicationId = 0x6d6d7573;

/// The steps that lead from an empty file to the present schema. Step i (from 0) takes a database of schema version i
/// to version i + 1 and runs in one transaction. A released step is never changed; a change of the schema is a new one.
const std::vector<std::string_view>& migrations();

/// The schema version that this program writes (`PRAGMA user_version`).
std::int64_t schema_version();

/// Indexes that loading does not need. They are made after the first load, when they are missing.
std::string_view secondary_indexes();

}  // namespace memuse::store
