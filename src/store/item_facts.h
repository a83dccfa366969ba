#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/facts.h"
#include "store/database.h"
#include "store/reader.h"

namespace memuse::store {

/// Everything recorded about an item, one part for each configuration, run and store that has it, in that order; with
/// the answers of a judgement set. Work grows with what is recorded about it and its kin, not with the database, but
/// for one look at what each search returned and at the versions that updates name.
std::vector<graph::ItemFacts> item_facts(const Database& database, const ItemFilter& filter,
                                         std::optional<std::int64_t> judgement_set);

}  // namespace memuse::store
