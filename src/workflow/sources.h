#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ingest/delivery_rules.h"
#include "ingest/episode_rereader.h"
#include "model/diagnostic.h"
#include "model/episode.h"
#include "model/records.h"
#include "store/database.h"
#include "store/reader.h"
#include "workflow/judge_job.h"

namespace memuse::workflow {

/// An episode read again from its source, or the diagnostic that says why not.
struct SourceRead {
  std::optional<Episode> episode;
  std::optional<Diagnostic> fault;
};

/// Reads the episodes of a database again from their sources. Thread-safe.
class SourceReader {
 public:
  explicit SourceReader(const store::Database& database);

  /// Reads the episode of a record again, checks it against the hash taken at ingest, finds deliveries by the same
  /// rules, and gives it the outcome and the probe that the database has (an outcomes or probes file may have changed
  /// them).
  [[nodiscard]] SourceRead read(const EpisodeRecord& record, const std::optional<store::ProbeRecord>& probe,
                                const SourceRoots& roots) const;

 private:
  /// The delivery rules of the database by the hash that records name.
  std::map<std::string, std::shared_ptr<const ingest::DeliveryRules>> rules_;
  std::unique_ptr<ingest::EpisodeRereader> rereader_;
};

}  // namespace memuse::workflow
