#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/facts.h"
#include "store/connection.h"

namespace memuse::store {

/// Columns of an episode for `episode_node`, for a table named `e`.
extern const std::string_view kNodeColumns;
/// The episode in a row that selects `kNodeColumns` from column `first` on.
graph::EpisodeNode episode_node(const Statement& row, int first);
/// The order of the study: configuration, run, position (those without one last), episode, uid.
bool stands_before(const graph::EpisodeNode& left, const graph::EpisodeNode& right);

/// Columns and tables of an operation for `change_in`; episodes are not set there.
extern const std::string_view kChangeColumns;
extern const std::string_view kChangeTables;
graph::Change change_in(const Statement& row, int first);

/// A record with the row id of its episode, before episodes are numbered.
template <typename Record>
struct OfEpisode {
  std::int64_t episode_id = 0;
  Record record;
};

/// Reads the entries of single episodes as exposures; keeps its statements prepared.
class ExposureReader {
 public:
  /// `condition` selects entries of the table `n` (with `a`, the judged entry of the set); its parameters start at ?3
  /// and are bound by `read`.
  ExposureReader(const Connection& connection, std::optional<std::int64_t> judgement_set, std::string_view condition);

  /// Appends the entries of the episode that match.
  template <typename... Values>
  void read(std::int64_t episode_id, std::vector<OfEpisode<graph::Exposure>>& out, const Values&... values) {
    entries_.bind(episode_id, judgement_set_, values...);
    add_entries(episode_id, out);
  }

 private:
  void add_entries(std::int64_t episode_id, std::vector<OfEpisode<graph::Exposure>>& out);
  void add_placements(std::int64_t episode_id, std::vector<OfEpisode<graph::Exposure>>& out, std::size_t first);

  std::optional<std::int64_t> judgement_set_;
  Statement entries_;
  Statement deliveries_;
};

/// Numbers the episodes of the records in the order of the study and sorts the records after them.
class EpisodeNumbers {
 public:
  explicit EpisodeNumbers(const Connection& connection);
  void add(std::int64_t episode_id) { ids_.push_back(episode_id); }
  /// Reads the episodes that were added.
  std::vector<graph::EpisodeNode> number();
  /// Index of an episode that was added before `number`.
  [[nodiscard]] std::size_t index_of(std::int64_t episode_id) const;

 private:
  Statement node_;
  std::vector<std::int64_t> ids_;
  std::vector<std::pair<std::int64_t, std::size_t>> index_;  ///< by row id
};

}  // namespace memuse::store
