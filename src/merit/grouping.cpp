#include "merit/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace memuse::merit {
namespace {

/// Order of tiers for people; others follow by name.
int rank_of_tier(std::string_view tier) {
  constexpr std::string_view kTiers[] = {"easy", "medium", "hard"};
  return static_cast<int>(std::find(std::begin(kTiers), std::end(kTiers), tier) - std::begin(kTiers));
}

auto cell_key(const ScoredEpisode& row) {
  const bool named = !row.domain.empty() && !row.tier.empty();
  return std::tuple(row.model, row.domain, rank_of_tier(row.tier), row.tier,
                    named ? std::string_view() : row.directory);
}

bool can_be_pooled(const GroupRows& cell) {
  return !cell.group.domain.empty() && !cell.group.tier.empty();
}

}  // namespace

std::vector<GroupRows> cells_of(const ScoredEpisodes& episodes) {
  std::map<decltype(cell_key(episodes.rows.front())), GroupRows> cells;
  for (const ScoredEpisode& row : episodes.rows) {
    GroupRows& cell = cells[cell_key(row)];
    if (cell.rows.empty()) {
      cell.group.model = row.model;
      cell.group.domain = row.domain;
      cell.group.tier = row.tier;
    }
    cell.rows.push_back({&row, row.arc});
  }
  std::vector<GroupRows> list;
  for (auto& [key, cell] : cells) list.push_back(std::move(cell));
  return list;
}

GroupRows pooled(const std::vector<const GroupRows*>& cells, bool all_tiers) {
  GroupRows pool;
  pool.group.model = cells.front()->group.model;
  pool.group.all_domains = true;
  pool.group.all_tiers = all_tiers;
  if (!all_tiers) pool.group.tier = cells.front()->group.tier;
  for (const GroupRows* cell : cells) {
    for (const GroupRow& row : cell->rows) {
      const ScoredEpisode& episode = *row.episode;
      std::string arc = all_tiers ? fmt::format("{}/{}/{}", episode.domain, episode.tier, row.arc)
                                  : fmt::format("{}/{}", episode.domain, row.arc);
      if (!can_be_pooled(*cell)) arc = fmt::format("{}/{}", episode.directory, arc);  // what tells such cells apart
      pool.rows.push_back({&episode, pool.names->keep(arc)});
    }
  }
  return pool;
}

std::vector<GroupRows> pools_of(const std::vector<GroupRows>& cells) {
  std::vector<GroupRows> pools;
  for (std::size_t begin = 0; begin < cells.size();) {
    std::size_t end = begin;
    std::map<std::pair<int, std::string>, std::vector<const GroupRows*>> tiers;
    std::vector<const GroupRows*> all;
    for (; end < cells.size() && cells[end].group.model == cells[begin].group.model; ++end) {
      if (!can_be_pooled(cells[end])) continue;
      const std::string& tier = cells[end].group.tier;
      tiers[{rank_of_tier(tier), tier}].push_back(&cells[end]);
      all.push_back(&cells[end]);
    }
    for (const auto& [tier, members] : tiers) {
      if (members.size() > 1) pools.push_back(pooled(members, false));
    }
    if (tiers.size() > 1) pools.push_back(pooled(all, true));
    begin = end;
  }
  return pools;
}

void count(GroupRows& group) {
  std::set<std::string_view> clean, damaged, directories;
  std::set<std::string_view, SeedLess> seeds;
  for (const GroupRow& row : group.rows) {
    const ScoredEpisode& episode = *row.episode;
    (episode.setting.clean() ? clean : damaged).insert(row.arc);
    ++(episode.setting.clean() ? group.group.clean_rows : group.group.damaged_rows);
    if (!episode.seed.empty()) seeds.insert(episode.seed);
    if (!episode.directory.empty()) directories.insert(episode.directory);
  }
  group.group.rows = group.rows.size();
  group.group.arcs_clean = clean.size();
  group.group.arcs_damaged = damaged.size();
  group.group.seeds.assign(seeds.begin(), seeds.end());
  group.group.directories.assign(directories.begin(), directories.end());
}

}  // namespace memuse::merit
