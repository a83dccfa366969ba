#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/episode.h"
#include "model/span.h"
#include "store/database.h"
#include "store/prepared_episode.h"
#include "support/temporary_folder.h"

// Small hand-made studies for the tests of the store.

namespace memuse::test {

/// What a test wants to vary of an episode.
struct EpisodeSketch {
  std::string configuration = "cards";
  std::string run = "r1";
  std::string id = "e1";
  std::string task = "t1";
  std::optional<std::uint64_t> position;
  std::string content = "kettle";  ///< differs where the episode's content shall differ
  std::string path = "a.jsonl";
  std::uint64_t byte = 0;
  bool ended = true;
  std::optional<bool> resolved;
  std::vector<std::string> times{"2026-03-01T10:00:00Z", "2026-03-01T10:01:00Z"};
};

/// An episode of two steps with one delivery of two items, of which one has an empty window, a restatement, an
/// unconsumed delivery, an empty search and two memory operations.
Episode make_episode(const EpisodeSketch& sketch);
/// The spans that belong to `make_episode`: S1 (judged), S2 (automatic neutral), S3 (empty).
EpisodeSpans make_spans();
store::PreparedEpisode make_prepared(const EpisodeSketch& sketch);

/// An episode and spans in which every field has a value of its own, hostile texts among them.
Episode make_full_episode();
EpisodeSpans make_full_spans();

/// Everything that readers give back of the study, as text, for comparisons.
std::string dump(const store::Database& database, std::optional<std::int64_t> judgement_set = std::nullopt);
std::string dump(const std::filesystem::path& path, std::optional<std::int64_t> judgement_set = std::nullopt);

}  // namespace memuse::test
