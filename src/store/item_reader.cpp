#include <fmt/format.h>
#include <algorithm>

#include "store/episode_reader.h"
#include "store/operation_reader.h"
#include "store/reader.h"

namespace memuse::store {
namespace {

/// Episodes in which something happened to the item: (row id), in order.
Statement episodes_of(const Connection& connection, const ItemFilter& filter) {
  Statement rows(connection, fmt::format("SELECT e.id, {} FROM episode AS e WHERE e.id IN"
                                         " (SELECT episode_id FROM entry WHERE item = ?1"
                                         "  UNION SELECT episode_id FROM memory_operation WHERE item = ?1)"
                                         " AND (?2 IS NULL OR e.configuration = ?2) AND (?3 IS NULL OR e.run = ?3)"
                                         " AND (?4 IS NULL OR e.store = ?4) ORDER BY {}",
                                         kEpisodeColumns, kEpisodeOrder));
  rows.bind(filter.item, filter.configuration, filter.run, filter.store);
  return rows;
}

/// Reads what happened to one item in one episode after another.
class ItemEventReader {
 public:
  ItemEventReader(const Connection& connection, std::string_view item, std::optional<std::int64_t> judgement_set)
      : item_(item),
        spans_(connection, judgement_set),
        operations_(connection, fmt::format("SELECT {} FROM {} WHERE o.episode_id = ? AND o.item = ? ORDER BY o.number",
                                            kOperationColumns, kOperationTables)),
        line_orders_(connection, "SELECT line_order FROM delivery WHERE episode_id = ? AND delivery_index = ?") {}

  /// In the order of the trace.
  std::vector<ItemEvent> read(std::int64_t episode_id, const EpisodeRecord& episode) {
    std::vector<ItemEvent> events;
    operations_.bind(episode_id, item_);
    while (operations_.step()) {
      ItemEvent event;
      event.episode = episode;
      event.operation = operation_record(operations_, 0);
      event.line_order = event.operation->line_order;
      events.push_back(std::move(event));
    }
    EpisodeSpansRecord record;
    spans_.read(episode_id, record);
    for (SpanRecord& span : record.spans) add_exposures(episode_id, episode, span, events);
    std::stable_sort(events.begin(), events.end(),
                     [](const ItemEvent& left, const ItemEvent& right) { return left.line_order < right.line_order; });
    return events;
  }

 private:
  void add_exposures(std::int64_t episode_id, const EpisodeRecord& episode, SpanRecord& span,
                     std::vector<ItemEvent>& events) {
    const std::vector<EntryRecord> entries = std::move(span.entries);
    span.entries.clear();
    for (const EntryRecord& entry : entries) {
      if (entry.item != item_) continue;
      ItemEvent event;
      event.episode = episode;
      event.exposure = ItemEvent::Exposure{span};
      event.exposure->span.entries.push_back(entry);
      line_orders_.bind(episode_id, span.deliveries.front().delivery_index).step();
      event.line_order = line_orders_.number(0);
      line_orders_.reset();
      events.push_back(std::move(event));
    }
  }

  std::string item_;
  SpanReader spans_;
  Statement operations_;
  Statement line_orders_;
};

}  // namespace

void for_each_item_event(const Database& database, const ItemFilter& filter, std::optional<std::int64_t> judgement_set,
                         const std::function<bool(const ItemEvent&)>& callback) {
  const ReadSnapshot snapshot(database);
  ItemEventReader reader(database.connection(), filter.item, judgement_set);
  Statement rows = episodes_of(database.connection(), filter);
  while (rows.step()) {
    for (const ItemEvent& event : reader.read(rows.integer(0), episode_record(rows, 1))) {
      if (!callback(event)) return;
    }
  }
}

}  // namespace memuse::store
