#include "store/origin_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/episode_reader.h"
#include "store/lineage_rows.h"
#include "store/reader.h"

namespace memuse::store {
namespace {

constexpr std::string_view kOfRun = "e.configuration = ?1 AND e.run = ?2";
constexpr std::string_view kMakesVersion = "o.op IN ('create', 'update')";
// Only an accepted answer has entries.
constexpr std::string_view kIsBeneficial = "a.influence = 'acted_on' AND a.effect = 'improved'";

class OriginReader {
 public:
  OriginReader(const Connection& connection, std::optional<std::int64_t> judgement_set)
      : connection_(connection),
        judgement_set_(judgement_set),
        beneficial_(connection, judgement_set, kIsBeneficial),
        judged_(connection, fmt::format("SELECT EXISTS (SELECT 1 FROM episode AS e JOIN judgement AS j"
                                        " ON j.episode_id = e.id WHERE {} AND e.retained AND j.set_id = ?3"
                                        " AND j.verdict IS NOT NULL AND ({} OR NOT (SELECT effects_need_probe"
                                        " FROM judgement_set WHERE id = ?3)))",
                                        kOfRun, kHasProbe)),
        records_(connection, fmt::format("SELECT EXISTS (SELECT 1 FROM episode AS e JOIN memory_operation AS o"
                                         " ON o.episode_id = e.id WHERE {} AND {})",
                                         kOfRun, kMakesVersion)),
        episodes_(connection, fmt::format("SELECT DISTINCT e.id FROM episode AS e JOIN judged_entry AS a"
                                          " ON a.episode_id = e.id WHERE {} AND e.retained AND a.set_id = ?3 AND {}",
                                          kOfRun, kIsBeneficial)),
        of_item_(connection, changes_sql("o.item = ?3")),
        with_text_(connection, changes_sql("o.text_id IS NOT NULL")) {}

  graph::RunOriginFacts read(const RunRecord& run) {
    graph::RunOriginFacts facts;
    facts.configuration = run.configuration;
    facts.run = run.run;
    facts.judged = is_true(judged_.bind(run.configuration, run.run, judgement_set_));
    facts.records_creation = is_true(records_.bind(run.configuration, run.run));
    std::vector<OfEpisode<graph::Exposure>> exposures = beneficial_entries(run);
    std::vector<OfEpisode<graph::Change>> changes = changes_of(run, exposures);
    EpisodeNumbers numbers(connection_);
    for (const auto& exposure : exposures) numbers.add(exposure.episode_id);
    for (const auto& change : changes) numbers.add(change.episode_id);
    facts.episodes = numbers.number();
    take(exposures, numbers, facts.exposures);
    take(changes, numbers, facts.changes);
    std::sort(facts.exposures.begin(), facts.exposures.end(), [](const auto& left, const auto& right) {
      return std::tie(left.episode, left.span, left.entry) < std::tie(right.episode, right.span, right.entry);
    });
    std::sort(facts.changes.begin(), facts.changes.end(), [](const auto& left, const auto& right) {
      return std::tie(left.episode, left.number) < std::tie(right.episode, right.number);
    });
    return facts;
  }

 private:
  static std::string changes_sql(std::string_view condition) {
    return fmt::format(
        "SELECT o.episode_id, {} FROM {} JOIN episode AS e ON e.id = o.episode_id WHERE {} AND {} AND {}",
        kChangeColumns, kChangeTables, kOfRun, kMakesVersion, condition);
  }

  static bool is_true(Statement& row) {
    const bool value = row.step() && row.boolean(0);
    row.reset();
    return value;
  }

  std::vector<OfEpisode<graph::Exposure>> beneficial_entries(const RunRecord& run) {
    std::vector<std::int64_t> ids;
    episodes_.bind(run.configuration, run.run, judgement_set_);
    while (episodes_.step()) ids.push_back(episodes_.integer(0));
    std::vector<OfEpisode<graph::Exposure>> found;
    for (const std::int64_t id : ids) beneficial_.read(id, found);
    return found;
  }

  /// Those on the items that the entries name; all with a text when an entry names none.
  std::vector<OfEpisode<graph::Change>> changes_of(const RunRecord& run,
                                                   const std::vector<OfEpisode<graph::Exposure>>& exposures) {
    std::set<std::string> items;
    bool any_without_item = false;
    for (const auto& [episode, exposure] : exposures) {
      if (exposure.item) items.insert(*exposure.item);
      any_without_item = any_without_item || !exposure.item;
    }
    std::vector<OfEpisode<graph::Change>> changes;
    const auto add_all = [&](Statement& rows) {
      while (rows.step()) changes.push_back({rows.integer(0), change_in(rows, 1)});
    };
    for (const std::string& item : items) add_all(of_item_.bind(run.configuration, run.run, item));
    if (!any_without_item) return changes;
    std::vector<OfEpisode<graph::Change>> named = std::move(changes);
    changes.clear();
    add_all(with_text_.bind(run.configuration, run.run));
    std::erase_if(changes, [&](const auto& change) { return items.contains(change.record.item); });
    changes.insert(changes.end(), std::make_move_iterator(named.begin()), std::make_move_iterator(named.end()));
    return changes;
  }

  template <typename Record>
  static void take(std::vector<OfEpisode<Record>>& from, const EpisodeNumbers& numbers, std::vector<Record>& to) {
    for (auto& [episode, record] : from) {
      record.episode = numbers.index_of(episode);
      to.push_back(std::move(record));
    }
  }

  const Connection& connection_;
  std::optional<std::int64_t> judgement_set_;
  ExposureReader beneficial_;
  Statement judged_, records_, episodes_, of_item_, with_text_;
};

}  // namespace

void for_each_run_of_origins(const Database& database, std::optional<std::int64_t> judgement_set,
                             const std::function<void(graph::RunOriginFacts)>& callback) {
  const ReadSnapshot snapshot(database);
  OriginReader reader(database.connection(), judgement_set);
  for (const RunRecord& run : runs(database)) callback(reader.read(run));
}

}  // namespace memuse::store
