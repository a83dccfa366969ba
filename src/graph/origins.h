#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/facts.h"
#include "graph/origin.h"

// Where the beneficial entries of a study come from (semantics.md §9).

namespace memuse::graph {

/// The beneficial entries of one run with the operations that may have made what they show.
struct RunOriginFacts {
  std::string configuration, run;
  bool judged = false;  ///< some span has an accepted answer that assesses effects: beneficial entries can be told
  bool records_creation = false;  ///< some creation or update of an item is recorded
  std::vector<EpisodeNode> episodes;
  std::vector<Change> changes;      ///< creations and updates, in the order of the episodes and of the trace
  std::vector<Exposure> exposures;  ///< the beneficial entries of retained attempts, in order
};

/// Counts over beneficial entries. They add up: `traced`, `same_episode`, `recorded_later`, `order_unknown`,
/// `other_version` and `not_recorded` make `beneficial`.
struct OriginCounts {
  std::uint64_t beneficial = 0;
  std::uint64_t traced = 0;  ///< made in a strictly earlier episode; all below is over these
  std::uint64_t traced_by_text = 0;
  std::uint64_t same_episode = 0, recorded_later = 0, order_unknown = 0, other_version = 0, not_recorded = 0;
  std::uint64_t outcome_known = 0, from_failed = 0;
  std::uint64_t repositories_known = 0, from_another_repository = 0;
  std::vector<std::int64_t> gaps;  ///< task positions between source and use, where both are known; ascending

  OriginCounts& operator+=(const OriginCounts& other);
  /// Median of the gaps, the mean of the middle two for an even number; nothing without gaps.
  [[nodiscard]] std::optional<double> median_gap() const;
};

/// One beneficial entry and its origin. Indices point into the run's facts.
struct OriginRow {
  std::size_t exposure = 0;
  Origin origin;
};

struct RunOrigins {
  RunOriginFacts facts;
  std::vector<OriginRow> rows;  ///< one for each exposure, in order
  OriginCounts counts;
};

/// Traces every beneficial entry of a run.
[[nodiscard]] RunOrigins run_origins(RunOriginFacts facts);

}  // namespace memuse::graph
