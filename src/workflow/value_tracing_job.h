#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/pipeline.h"
#include "model/diagnostic.h"
#include "model/episode.h"
#include "report/value_tables.h"
#include "value_tracing/memory_probe.h"
#include "workflow/ingest_job.h"

namespace memuse::workflow {

/// What `memuse values` is asked to do. Of `input`, traces, manifest, pipeline, outcomes and probes are used.
struct ValueTracingOptions {
  IngestOptions input;
  bool keep_episodes = false;  ///< keep every traced episode, for rows
};

/// Traces the gold values of all dependent episodes; stores nothing. Throws Error(usage) for files of probes, outcomes
/// and manifests that cannot be followed.
report::ValueReport trace_runs(const ValueTracingOptions& options);

/// An episode of the runs with its trace. `name`: its id, `RUN/EPISODE` or `CONFIGURATION/RUN/EPISODE`. Throws
/// Error(usage) that lists the candidates when there is none or more than one, and when it has no gold values.
struct ExplainedEpisode {
  Episode episode;
  value_tracing::EpisodeTrace trace;
  std::vector<Diagnostic> diagnostics;
};
ExplainedEpisode explain_values(const ValueTracingOptions& options, const std::string& name);

/// What `memuse memory-probes` is asked to do.
struct MemoryProbeOptions {
  IngestOptions input;
  std::string file;            ///< of memory probes
  bool keep_episodes = false;  ///< keep every scored probe, for rows
};

/// Scores the declared probes on the runs. Throws Error(usage) when the file cannot be read or holds no usable row.
report::MemoryProbeReport score_memory_probes(const MemoryProbeOptions& options);

/// An episode with all its probes; names as in `explain_values`.
struct ExplainedProbes {
  Episode episode;
  std::vector<std::pair<value_tracing::MemoryProbe, value_tracing::ScoredProbe>> probes;
  std::vector<Diagnostic> diagnostics;
};
ExplainedProbes explain_memory_probes(const MemoryProbeOptions& options, const std::string& name);

}  // namespace memuse::workflow
