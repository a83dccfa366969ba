#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ingest/adapter.h"
#include "model/diagnostic.h"
#include "model/episode.h"

namespace memuse::ingest {

/// Reads episodes again from their sources. In some formats (logs of model calls, spans, one document of many samples)
/// an episode can only be found by reading the whole file: the others that this yields are kept for those who ask next,
/// up to `kMostKeptBytes` of text and while the file stays as it is, so that the work of reading all episodes of a file
/// again grows with its size and not with their number. Thread-safe.
class EpisodeRereader {
 public:
  static constexpr std::size_t kMostKeptBytes = std::size_t{256} << 20;

  explicit EpisodeRereader(std::size_t most_kept_bytes = kMostKeptBytes);
  ~EpisodeRereader();
  EpisodeRereader(const EpisodeRereader&) = delete;
  EpisodeRereader& operator=(const EpisodeRereader&) = delete;

  /// Returns nothing, with `fault` and `detail` set, when the source is gone or no longer holds the bytes that were
  /// ingested. Deliveries are found by the rules of `options`.
  std::optional<Episode> read(const SourcePlace& place, const ReadOptions& options, Fault& fault, std::string& detail);
  /// How often a source was read; for tests.
  [[nodiscard]] std::size_t readings() const;

 private:
  class Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace memuse::ingest
