#include "store/episode_lineage.h"

#include <fmt/format.h>

#include <utility>

#include "store/episode_reader.h"
#include "store/json_text.h"
#include "store/lineage_rows.h"
#include "store/operation_reader.h"
#include "store/reader.h"

namespace memuse::store {
namespace {

class EpisodeLineageReader {
 public:
  EpisodeLineageReader(const Connection& connection, std::optional<std::int64_t> judgement_set)
      : episodes_(connection, fmt::format("SELECT e.id, {} FROM episode AS e WHERE e.configuration = ? AND e.run = ?"
                                          " ORDER BY {}",
                                          kNodeColumns, kEpisodeOrder)),
        changes_(connection, fmt::format("SELECT {} FROM {} WHERE o.episode_id = ? ORDER BY o.number", kChangeColumns,
                                         kChangeTables)),
        searches_(connection,
                  "SELECT search, number, step, line_order, completed, returned FROM search WHERE episode_id = ?"
                  " ORDER BY number"),
        targets_(connection,
                 "SELECT line_order FROM delivery WHERE episode_id = ? AND span IS NOT NULL AND NOT restatement"
                 " ORDER BY span"),
        spans_(connection, judgement_set) {}

  std::vector<OfEpisode<graph::EpisodeNode>> episodes(const RunRecord& run) {
    std::vector<OfEpisode<graph::EpisodeNode>> nodes;
    episodes_.bind(run.configuration, run.run);
    while (episodes_.step()) nodes.push_back({episodes_.integer(0), episode_node(episodes_, 1)});
    return nodes;
  }

  std::vector<graph::Change> changes(std::int64_t episode) {
    std::vector<graph::Change> found;
    changes_.bind(episode);
    while (changes_.step()) found.push_back(change_in(changes_, 0));
    return found;
  }

  graph::EpisodeFacts facts(const OfEpisode<graph::EpisodeNode>& episode) {
    graph::EpisodeFacts out;
    out.episode = episode.record;
    out.changes = changes(episode.episode_id);
    out.searches = searches(episode.episode_id);
    EpisodeSpansRecord spans;
    spans_.read(episode.episode_id, spans);
    out.spans = std::move(spans.spans);
    out.unconsumed = std::move(spans.unconsumed);
    targets_.bind(episode.episode_id);
    while (targets_.step()) out.span_line_orders.push_back(targets_.number(0));
    return out;
  }

 private:
  std::vector<graph::SearchFacts> searches(std::int64_t episode) {
    std::vector<graph::SearchFacts> found;
    searches_.bind(episode);
    while (searches_.step()) {
      graph::SearchFacts search{searches_.text(0),   searches_.number(1),  searches_.number(2),
                                searches_.number(3), searches_.boolean(4), {}};
      for (SearchRecord::Hit& hit : search_hits(searches_.text(5))) {
        search.returned.push_back({std::move(hit.item), std::move(hit.version), hit.score});
      }
      found.push_back(std::move(search));
    }
    return found;
  }

  Statement episodes_, changes_, searches_, targets_;
  SpanReader spans_;
};

}  // namespace

void for_each_episode_lineage(const Database& database, std::optional<std::int64_t> judgement_set,
                              const std::optional<std::set<std::string>>& only, const LineageVisitor& visitor) {
  const ReadSnapshot snapshot(database);
  EpisodeLineageReader reader(database.connection(), judgement_set);
  const auto visit_run = [&](const RunRecord& run) {
    const auto episodes = reader.episodes(run);
    std::vector<std::string> uids;
    for (const auto& episode : episodes) uids.push_back(episode.record.uid);
    visitor.begin_run(uids);
    for (const auto& episode : episodes) {
      for (const graph::Change& change : reader.changes(episode.episode_id)) visitor.change(episode.record, change);
    }
    for (const auto& episode : episodes) {
      if (!only || only->contains(episode.record.uid)) visitor.episode(reader.facts(episode));
    }
  };
  without_damage([&] {
    for (const RunRecord& run : runs(database)) visit_run(run);
    return true;
  });
}

}  // namespace memuse::store
