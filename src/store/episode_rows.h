#pragma once

#include <cstdint>

#include "store/connection.h"
#include "store/prepared_episode.h"

namespace memuse::store {

/// Inserts the rows of one episode; keeps its statements prepared.
class EpisodeRows {
 public:
  explicit EpisodeRows(const Connection& connection);

  /// The episode must not be there yet. Returns its row id.
  std::int64_t insert(const PreparedEpisode& episode, std::int64_t ingest_id);

 private:
  std::int64_t insert_episode(const PreparedEpisode& episode, std::int64_t ingest_id);
  std::int64_t text_id(const PreparedEpisode::Text& text);
  void insert_deliveries(std::int64_t episode_id, const PreparedEpisode& episode);

  const Connection& connection_;
  Statement episode_;
  Statement transcript_;
  Statement find_text_;
  Statement text_;
  Statement span_;
  Statement delivery_;
  Statement entry_;
  Statement operation_;
  Statement search_;
};

}  // namespace memuse::store
