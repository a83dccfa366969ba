#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/records.h"
#include "store/database.h"

namespace memuse::store {

/// Columns of an episode in the order that `episode_record` reads, for a table named `e`.
extern const std::string_view kEpisodeColumns;
/// True for an episode with gold or stale values (`EpisodeRecord::has_probe`), for a table named `e`.
extern const std::string_view kHasProbe;
/// ORDER BY terms of the one order of episodes, for a table named `e`.
extern const std::string_view kEpisodeOrder;

/// The record in the current row of a statement that selects `kEpisodeColumns` from column `first` on.
EpisodeRecord episode_record(const Statement& row, int first);

/// The labels in five columns from `first` on: relevance, accuracy, novelty, influence, effect.
Labels labels_in(const Statement& row, int first);

/// Sets status and verdict of a span with its routing (semantics.md §7); `row` holds the stored verdict and the reason
/// of refusal.
void set_status(SpanRecord& span, const Statement& row, int verdict_column, int reason_column);
/// The routing of that name.
Routing routing_in(const Statement& row, int column);

/// The answer on an entry: labels in five columns from `first` on, then the rest as JSON.
EntryAnswer answer_of(const Statement& row, std::uint32_t entry, int first);

/// Holds one state of the database while other processes write. Nested ones share that of the outermost. A
/// database opened for writing needs none: only its own process changes it, and a callback may do so.
class ReadSnapshot {
 public:
  explicit ReadSnapshot(const Database& database);

 private:
  std::optional<Transaction> transaction_;
};

/// Reads the spans of single episodes; keeps its statements prepared.
class SpanReader {
 public:
  SpanReader(const Connection& connection, std::optional<std::int64_t> judgement_set);

  /// Fills spans and unconsumed deliveries of the episode with this row id.
  void read(std::int64_t episode_id, EpisodeSpansRecord& out);

 private:
  void read_spans(std::int64_t episode_id, EpisodeSpansRecord& out);
  void read_deliveries(std::int64_t episode_id, EpisodeSpansRecord& out);
  void read_entries(std::int64_t episode_id, EpisodeSpansRecord& out);

  std::optional<std::int64_t> judgement_set_;
  Statement spans_;
  Statement deliveries_;
  Statement entries_;
};

}  // namespace memuse::store
