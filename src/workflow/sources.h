#pragma once

#include <optional>
#include <string>

#include "model/diagnostic.h"
#include "model/episode.h"
#include "model/records.h"
#include "store/reader.h"
#include "workflow/judge_job.h"

namespace memuse::workflow {

/// An episode read again from its source, or the diagnostic that says why not.
struct SourceRead {
  std::optional<Episode> episode;
  std::optional<Diagnostic> fault;
};

/// Reads the episode of a record again, checks it against the hash taken at ingest, and gives it the outcome and the
/// probe that the database has (an outcomes or probes file may have changed them). Thread-safe.
SourceRead read_source(const EpisodeRecord& record, const std::optional<store::ProbeRecord>& probe,
                       const SourceRoots& roots);

}  // namespace memuse::workflow
