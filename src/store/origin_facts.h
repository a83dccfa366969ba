#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "graph/origins.h"
#include "store/database.h"

namespace memuse::store {

/// Every run of the study, by configuration and run, with its beneficial entries in a judgement set (semantics.md §7:
/// acted on and improved) and the operations that may have made what they show. One run is in memory at a time.
void for_each_run_of_origins(const Database& database, std::optional<std::int64_t> judgement_set,
                             const std::function<void(graph::RunOriginFacts)>& callback);

}  // namespace memuse::store
