#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/labels.h"
#include "store/database.h"

namespace memuse::store {

/// What several judgement sets say of one entry.
struct JudgedEntryLabels {
  std::uint32_t span = 0;
  std::uint32_t entry = 0;
  std::vector<std::optional<Labels>> labels;  ///< one for each set asked for; nothing where it has no answer
};

/// The entries of one episode that at least one of the sets has answered.
struct JudgedEpisode {
  bool has_probe = false;                  ///< as `EpisodeRecord::has_probe`
  std::vector<JudgedEntryLabels> entries;  ///< by span and entry
};

/// Every episode (retained or not) with an accepted answer of at least one of the sets, in the order of the readers.
/// One episode is in memory at a time.
void for_each_judged_episode(const Database& database, const std::vector<std::int64_t>& sets,
                             const std::function<void(const JudgedEpisode&)>& callback);

}  // namespace memuse::store
