#pragma once

#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "report/retrieval_tables.h"
#include "workflow/ingest_job.h"

namespace memuse::workflow {

/// What `memuse retrieval` is asked to do. Traces or a results file, or both.
struct RetrievalOptions {
  IngestOptions traces;                   ///< traces, manifest, pipeline; no database
  std::string gold;                       ///< file of gold questions
  std::string results;                    ///< file of results; empty for none
  std::string ingested;                   ///< log of ingested texts; empty for none
  std::string configuration = "results";  ///< of results that name none
  std::string run = "1";                  ///< the same
  retrieval::ScoreOptions score;
};

struct RetrievalJob {
  report::RetrievalReport report;
  std::vector<Diagnostic> diagnostics;  ///< sorted by place
};

/// Scores what recorded searches returned against gold. All searches of an episode count as one, their items in the
/// order in which they were returned, unless the gold question names one search. Throws Error(usage) when there is
/// neither a trace nor a results file, and for files that cannot be read.
RetrievalJob score_retrieval(const RetrievalOptions& options);

}  // namespace memuse::workflow
