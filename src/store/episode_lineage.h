#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/lineage_graph.h"
#include "store/database.h"

namespace memuse::store {

/// What `for_each_episode_lineage` hands over, in this order for each run: `begin_run` with the uids of its episodes,
/// `change` for every change of the run, then `episode` for each.
struct LineageVisitor {
  std::function<void(const std::vector<std::string>& uids)> begin_run;
  std::function<void(const graph::EpisodeNode&, const graph::Change&)> change;
  std::function<void(const graph::EpisodeFacts&)> episode;
};

/// Every episode of the study in order, with all that lineage knows of it and the answers of a judgement set. One
/// episode is in memory at a time. With `only`, whole episodes other than those of these uids are left out (their
/// changes are not).
void for_each_episode_lineage(const Database& database, std::optional<std::int64_t> judgement_set,
                              const std::optional<std::set<std::string>>& only, const LineageVisitor& visitor);

}  // namespace memuse::store
