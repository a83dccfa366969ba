#include "store/judged_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/episode_reader.h"

namespace memuse::store {
namespace {

/// Row ids of the episodes that at least one of the sets has answers in, in the order of the readers.
std::vector<std::pair<std::int64_t, bool>> judged_episodes(const Connection& connection, const std::string& sets) {
  Statement rows(connection, fmt::format("SELECT e.id, {} FROM episode AS e WHERE e.id IN"
                                         " (SELECT episode_id FROM judged_entry WHERE set_id IN ({})) ORDER BY {}",
                                         kHasProbe, sets, kEpisodeOrder));
  std::vector<std::pair<std::int64_t, bool>> found;
  while (rows.step()) found.emplace_back(rows.integer(0), rows.boolean(1));
  return found;
}

}  // namespace

void for_each_judged_episode(const Database& database, const std::vector<std::int64_t>& sets,
                             const std::function<void(const JudgedEpisode&)>& callback) {
  const ReadSnapshot snapshot(database);
  const std::string listed = fmt::format("{}", fmt::join(sets, ","));
  Statement rows(database.connection(),
                 fmt::format("SELECT span, entry, set_id, relevance, accuracy, novelty, influence, effect"
                             " FROM judged_entry WHERE episode_id = ? AND set_id IN ({}) ORDER BY span, entry",
                             listed));
  JudgedEpisode episode;
  for (const auto& [id, has_probe] : judged_episodes(database.connection(), listed)) {
    episode.has_probe = has_probe;
    episode.entries.clear();
    rows.bind(id);
    while (rows.step()) {
      const std::uint32_t span = rows.number(0);
      const std::uint32_t entry = rows.number(1);
      if (episode.entries.empty() || episode.entries.back().span != span || episode.entries.back().entry != entry) {
        episode.entries.push_back({span, entry, std::vector<std::optional<Labels>>(sets.size())});
      }
      const auto set = std::find(sets.begin(), sets.end(), rows.integer(2));
      episode.entries.back().labels[static_cast<std::size_t>(set - sets.begin())] = labels_in(rows, 3);
    }
    callback(episode);
  }
}

}  // namespace memuse::store
