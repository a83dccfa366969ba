#pragma once

#include <memory>
#include <string>

#include "evidence/evidence_set.h"
#include "model/episode.h"
#include "model/span.h"
#include "workflow/judge_job.h"

namespace memuse::workflow {

/// The evidence of one span together with what it is made from.
struct SpanEvidence {
  std::unique_ptr<const Episode> episode;
  std::unique_ptr<const EpisodeSpans> spans;
  std::unique_ptr<const evidence::EvidenceSet> files;
  std::string uid;  ///< of the episode
};

/// Builds the evidence of span `number` of the episode of that name (see `Study::episode`) from its source, read again
/// and checked against the hash taken at ingest. Depends on no judge. Throws Error(usage) for an unknown episode or
/// span, Error(environment) when the source is gone or has changed.
SpanEvidence span_evidence(const std::string& database, const std::string& episode, std::uint32_t number,
                           evidence::EvidenceOptions options, const SourceRoots& roots);

}  // namespace memuse::workflow
