#include "workflow/lineage_export.h"

#include <set>
#include <utility>
#include <vector>

#include "graph/lineage_graph.h"
#include "store/database.h"
#include "store/episode_lineage.h"
#include "store/episode_reader.h"

namespace memuse::workflow {

void write_lineage_graph(const LineageExport& options, std::ostream& out) {
  const Study study(options.database, options.judge);
  const std::optional<std::int64_t> set =
      study.judgement_set().judge.empty() ? std::nullopt : std::optional(study.judgement_set().id);
  const auto writer = report::graph_writer(options.format, out);
  graph::LineageGraph lineage(*writer);
  std::optional<std::set<std::string>> only;
  if (options.item) {
    const std::vector<graph::ItemLineage> items = study.items(*options.item);
    lineage.restrict_to(items);
    only.emplace();
    for (const graph::ItemLineage& item : items) {
      for (const graph::EpisodeNode& episode : item.episodes) only->insert(episode.uid);
    }
  }
  const store::Database database = store::Database::open_existing(options.database);
  const store::ReadSnapshot one_state(database);  // both passes must see the same episodes
  store::LineageVisitor visitor;
  visitor.begin_run = [&](const std::vector<std::string>& uids) { lineage.begin_run(uids); };
  visitor.change = [&](const graph::EpisodeNode& episode, const graph::Change& change) {
    lineage.know(episode, change);
  };
  visitor.episode = [&](const graph::EpisodeFacts& facts) { lineage.add_nodes(facts); };
  store::for_each_episode_lineage(database, set, only, visitor);
  visitor.episode = [&](const graph::EpisodeFacts& facts) { lineage.add_edges(facts); };
  store::for_each_episode_lineage(database, set, only, visitor);
  writer->finish();
}

}  // namespace memuse::workflow
