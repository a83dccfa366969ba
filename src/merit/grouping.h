#pragma once

#include <memory>
#include <string>
#include <vector>

#include "merit/analysis.h"

namespace memuse::merit {

/// A group on its way: its rows, and the names of arcs that they point into.
struct GroupRows {
  Group group;
  std::vector<GroupRow> rows;  ///< in the order of their files
  std::shared_ptr<NameTable> names = std::make_shared<NameTable>();
};

/// Cells: rows of the same model, domain and tier; where domain or tier is not recorded, of the same directory, too.
[[nodiscard]] std::vector<GroupRows> cells_of(const ScoredEpisodes& episodes);

/// Pools of several cells: for each model its tiers over all domains, then everything. Only cells with domain and tier
/// are pooled. The pool of a tier is left out when it is the pool of the model.
[[nodiscard]] std::vector<GroupRows> pools_of(const std::vector<GroupRows>& cells);

/// All rows of the cells in `cells` as one; arcs of two cells are different ones. `all_tiers`: tiers are pooled, too.
[[nodiscard]] GroupRows pooled(const std::vector<const GroupRows*>& cells, bool all_tiers);

/// Counts rows, arcs and seeds.
void count(GroupRows& group);

}  // namespace memuse::merit
