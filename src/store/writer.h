#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "model/episode.h"
#include "model/span.h"
#include "store/database.h"
#include "store/prepared_episode.h"

namespace memuse::store {

/// When a batch is committed: at whichever limit is met first.
struct BatchLimits {
  std::size_t rows = 10000;
  std::chrono::milliseconds time{1000};
};

/// What an ingest did.
struct IngestSummary {
  std::uint64_t added = 0;
  std::uint64_t known = 0;              ///< the same content was there already (or came twice)
  std::uint64_t replaced = 0;           ///< episodes that gave way to newer content of their file
  std::vector<Diagnostic> diagnostics;  ///< found by the writer itself, sorted; stored as well
};

/// The one writer of episodes, for one ingest. All calls come from one thread.
///
/// Everything that a reader sees depends only on what was added, not on its order. After a kill at any moment the
/// committed batches are there; ingesting the same traces again completes them.
class Writer {
 public:
  explicit Writer(Database& database, BatchLimits limits = {});
  /// Rolls back the batch in flight; what was committed stays.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Adds an episode, or nothing when the same content is known. Returns true when it is new.
  bool add(const PreparedEpisode& episode);
  bool add(const Episode& episode, const EpisodeSpans& spans) { return add(prepare(episode, spans)); }

  /// Stores a diagnostic of the input.
  void add_diagnostic(const Diagnostic& diagnostic);

  /// Commits the batch in flight: for an ingest that was interrupted.
  void flush();

  /// Ends an ingest that read all of its inputs: lets newer content of a file replace older, forgets diagnostics of
  /// files that were read anew, settles outcomes and retained attempts, builds missing indexes. No call may follow.
  IngestSummary finish();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace memuse::store
