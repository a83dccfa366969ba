#include "store/item_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "model/text.h"
#include "store/episode_reader.h"
#include "store/json_text.h"
#include "store/lineage_rows.h"
#include "store/operation_reader.h"

namespace memuse::store {
namespace {

using Scope = std::tuple<std::string, std::string, std::string>;  // configuration, run, store

constexpr std::string_view kInScope = "e.configuration = ?1 AND e.run = ?2 AND e.store = ?3";
constexpr std::string_view kMakes = "o.op IN ('create', 'update')";

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// The ids of texts that, normalised, are among the wanted ones.
std::vector<std::int64_t> texts_like(const Connection& connection, std::string_view ids,
                                     const std::set<std::string>& wanted) {
  Statement rows(connection, fmt::format("SELECT t.id, t.body FROM text AS t WHERE t.id IN ({})", ids));
  std::vector<std::int64_t> found;
  while (rows.step()) {
    if (wanted.contains(normalise_text(rows.text(1)))) found.push_back(rows.integer(0));
  }
  return found;
}

/// Collects the facts about one item in one scope.
class ItemCollector {
 public:
  ItemCollector(const Connection& connection, const Scope& scope, std::string item,
                std::optional<std::int64_t> judgement_set)
      : connection_(connection),
        scope_(scope),
        item_(std::move(item)),
        named_(connection, judgement_set, "n.item = ?3"),
        unnamed_(connection, judgement_set, "n.item IS NULL AND n.text_id = ?3"),
        of_item_(connection, fmt::format("SELECT o.episode_id, {} FROM {} JOIN episode AS e ON e.id = o.episode_id"
                                         " WHERE o.item = ?4 AND {} ORDER BY o.episode_id, o.number",
                                         kChangeColumns, kChangeTables, kInScope)),
        makers_(connection, fmt::format("SELECT DISTINCT o.item FROM memory_operation AS o JOIN episode AS e"
                                        " ON e.id = o.episode_id WHERE o.version = ?4 AND {} AND {} ORDER BY o.item",
                                        kMakes, kInScope)),
        made_from_(connection, fmt::format("SELECT DISTINCT o.item FROM memory_operation AS o JOIN episode AS e"
                                           " ON e.id = o.episode_id WHERE (o.episode_id, o.number) IN"
                                           // Reads nothing but the index of operations that name parents.
                                           " (SELECT p.episode_id, p.number FROM memory_operation AS p"
                                           "  WHERE p.from_versions <> '[]' AND instr(p.from_versions, ?4) > 0)"
                                           " AND {} AND {} ORDER BY o.item",
                                           kMakes, kInScope)),
        returns_of_(connection,
                    "SELECT search, number, step, line_order, returned FROM search WHERE episode_id = ?1"
                    " AND instr(returned, ?2) > 0 ORDER BY number") {}

  /// The episode has entries or operations of the item, or a search that returned it.
  void add_episode(std::int64_t episode_id) { episodes_.push_back(episode_id); }

  graph::ItemFacts collect() {
    for (const std::int64_t episode : episodes_) {
      named_.read(episode, exposures_, item_);
      add_returns(episode);
    }
    add_item(item_);
    follow(true);
    follow(false);
    add_delivered();
    add_unnamed();
    return finish();
  }

 private:
  void add_returns(std::int64_t episode) {
    const std::string quoted = json_string(item_);
    returns_of_.bind(episode, quoted);
    while (returns_of_.step()) {
      const std::vector<SearchRecord::Hit> hits = search_hits(returns_of_.text(4));
      for (std::size_t rank = 0; rank < hits.size(); ++rank) {
        if (hits[rank].item != item_) continue;
        returns_.push_back({episode,
                            {0, returns_of_.text(0), returns_of_.number(1), returns_of_.number(3),
                             returns_of_.number(2), rank, hits[rank].version, hits[rank].score}});
      }
    }
  }

  /// All operations on an item, once.
  void add_item(const std::string& item) {
    if (!items_.insert(item).second) return;
    of_item_.bind(std::get<0>(scope_), std::get<1>(scope_), std::get<2>(scope_), item);
    while (of_item_.step()) changes_.push_back({of_item_.integer(0), change_in(of_item_, 1)});
  }

  /// Adds the items that versions were made from (`upwards`) or made into, at any number of hands.
  void follow(bool upwards) {
    std::set<std::string> seen;
    std::size_t done = 0;
    // Towards descendants, only the item itself and what is found on the way count.
    std::vector<std::string> queue{item_};
    seen.insert(item_);
    while (done < queue.size()) {
      for (const std::string& next : upwards ? parents_of(queue[done]) : children_of(queue[done])) {
        if (!seen.insert(next).second) continue;
        add_item(next);
        queue.push_back(next);
      }
      ++done;
    }
  }

  std::vector<std::string> items_in(Statement& rows, const std::string& value) {
    rows.bind(std::get<0>(scope_), std::get<1>(scope_), std::get<2>(scope_), value);
    std::vector<std::string> items;
    while (rows.step()) items.push_back(rows.text(0));
    return items;
  }

  std::set<std::string> parents_of(const std::string& item) {
    std::set<std::string> names;
    std::set<std::string> own;
    for (const auto& [episode, change] : changes_) {
      if (change.item != item || !change.makes_version()) continue;
      names.insert(change.from.begin(), change.from.end());
      if (change.version) own.insert(*change.version);
    }
    for (const auto& [episode, exposure] : exposures_) {
      if (exposure.item == item && exposure.version) own.insert(*exposure.version);
    }
    std::set<std::string> parents;
    for (const std::string& version : names) {
      if (own.contains(version)) continue;
      for (std::string& maker : items_in(makers_, version)) parents.insert(std::move(maker));
    }
    return parents;
  }

  std::set<std::string> children_of(const std::string& item) {
    std::set<std::string> versions;
    for (const auto& [episode, change] : changes_) {
      if (change.item == item && change.version) versions.insert(*change.version);
    }
    if (item == item_) {
      for (const auto& [episode, exposure] : exposures_) {
        if (exposure.version) versions.insert(*exposure.version);
      }
    }
    std::set<std::string> children;
    for (const std::string& version : versions) {
      for (std::string& child : items_in(made_from_, json_string(version))) children.insert(std::move(child));
    }
    return children;
  }

  /// Ids of versions may hold for their item only, so a parent of the same item that was delivered must be known.
  void add_delivered() {
    Statement shown(connection_, fmt::format("SELECT EXISTS (SELECT 1 FROM entry AS n JOIN episode AS e"
                                             " ON e.id = n.episode_id WHERE n.item = ?4 AND n.version = ?5 AND {})",
                                             kInScope));
    for (const auto& [episode, change] : changes_) {
      if (change.item == item_) continue;
      for (const std::string& parent : change.from) {
        shown.bind(std::get<0>(scope_), std::get<1>(scope_), std::get<2>(scope_), change.item, parent);
        if (shown.step() && shown.boolean(0)) delivered_.emplace(change.item, parent);
        shown.reset();
      }
    }
  }

  /// Entries without an item id that show a text of the item's changes.
  void add_unnamed() {
    std::set<std::string> texts;
    for (const auto& [episode, change] : changes_) {
      if (change.item == item_ && change.makes_version() && change.text) texts.insert(normalise_text(*change.text));
    }
    if (texts.empty()) return;
    const auto shown = texts_like(connection_, "SELECT text_id FROM entry WHERE item IS NULL", texts);
    if (shown.empty()) return;
    Statement episodes(connection_, fmt::format("SELECT DISTINCT n.episode_id FROM entry AS n JOIN episode AS e"
                                                " ON e.id = n.episode_id WHERE n.item IS NULL AND n.text_id = ?4"
                                                " AND {}",
                                                kInScope));
    for (const std::int64_t text : shown) {
      episodes.bind(std::get<0>(scope_), std::get<1>(scope_), std::get<2>(scope_), text);
      while (episodes.step()) unnamed_.read(episodes.integer(0), exposures_, text);
    }
    // The same text may first have been another item's.
    Statement items(connection_, fmt::format("SELECT DISTINCT o.item FROM memory_operation AS o JOIN episode AS e"
                                             " ON e.id = o.episode_id WHERE o.text_id = ?4 AND {} AND {}",
                                             kMakes, kInScope));
    for (const std::int64_t text :
         texts_like(connection_, "SELECT text_id FROM memory_operation WHERE text_id IS NOT NULL", texts)) {
      items.bind(std::get<0>(scope_), std::get<1>(scope_), std::get<2>(scope_), text);
      std::vector<std::string> found;
      while (items.step()) found.push_back(items.text(0));
      for (const std::string& item : found) add_item(item);
    }
  }

  graph::ItemFacts finish() {
    graph::ItemFacts facts;
    std::tie(facts.configuration, facts.run, facts.store) = scope_;
    facts.item = item_;
    facts.delivered = std::move(delivered_);
    EpisodeNumbers numbers(connection_);
    for (const auto& change : changes_) numbers.add(change.episode_id);
    for (const auto& exposure : exposures_) numbers.add(exposure.episode_id);
    for (const auto& returned : returns_) numbers.add(returned.episode_id);
    facts.episodes = numbers.number();
    const auto take = [&numbers](auto& from, auto& to, auto order) {
      for (auto& [episode, record] : from) {
        record.episode = numbers.index_of(episode);
        to.push_back(std::move(record));
      }
      std::sort(to.begin(), to.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
    };
    take(changes_, facts.changes, [](const auto& c) { return std::tuple(c.episode, c.number); });
    take(exposures_, facts.exposures, [](const auto& x) { return std::tuple(x.episode, x.span, x.entry); });
    take(returns_, facts.returns, [](const auto& r) { return std::tuple(r.episode, r.number, r.rank); });
    return facts;
  }

  const Connection& connection_;
  Scope scope_;
  std::string item_;
  ExposureReader named_, unnamed_;
  Statement of_item_, makers_, made_from_;
  Statement returns_of_;
  std::vector<std::int64_t> episodes_;
  std::set<std::string> items_;
  std::set<std::pair<std::string, std::string>> delivered_;
  std::vector<OfEpisode<graph::Change>> changes_;
  std::vector<OfEpisode<graph::Exposure>> exposures_;
  std::vector<OfEpisode<graph::Return>> returns_;
};

}  // namespace

std::vector<graph::ItemFacts> item_facts(const Database& database, const ItemFilter& filter,
                                         std::optional<std::int64_t> judgement_set) {
  const Connection& connection = database.connection();
  const ReadSnapshot snapshot(database);
  Statement rows(connection,
                 "SELECT e.id, e.configuration, e.run, e.store FROM episode AS e WHERE e.id IN"
                 " (SELECT episode_id FROM entry WHERE item = ?1"
                 "  UNION SELECT episode_id FROM memory_operation WHERE item = ?1"
                 "  UNION SELECT episode_id FROM search WHERE instr(returned, ?2) > 0)"
                 " AND (?3 IS NULL OR e.configuration = ?3) AND (?4 IS NULL OR e.run = ?4)"
                 " AND (?5 IS NULL OR e.store = ?5) ORDER BY e.id");
  const std::string quoted = json_string(filter.item);
  rows.bind(filter.item, quoted, filter.configuration, filter.run, filter.store);
  std::map<Scope, std::vector<std::int64_t>> scopes;
  while (rows.step()) scopes[{rows.text(1), rows.text(2), rows.text(3)}].push_back(rows.integer(0));
  std::vector<graph::ItemFacts> all;
  for (const auto& [scope, episodes] : scopes) {
    ItemCollector collector(connection, scope, filter.item, judgement_set);
    for (const std::int64_t episode : episodes) collector.add_episode(episode);
    graph::ItemFacts facts = without_damage([&] { return collector.collect(); });
    if (!facts.episodes.empty()) all.push_back(std::move(facts));
  }
  return all;
}

}  // namespace memuse::store
