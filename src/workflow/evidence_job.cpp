#include "workflow/evidence_job.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"
#include "spans/spans.h"
#include "workflow/study.h"

namespace memuse::workflow {

SpanEvidence span_evidence(const std::string& database, const std::string& name, std::uint32_t number,
                           evidence::EvidenceOptions options, const SourceRoots& roots) {
  const Study study = Study::without_answers(database);
  const EpisodeRecord record = study.episode(name).episode;
  std::string why;
  std::optional<Episode> episode = study.source(record, roots, why);
  if (!episode) throw Error(ExitCode::environment, fmt::format("the evidence cannot be made: {}", why));

  SpanEvidence made;
  made.uid = record.uid;
  made.episode = std::make_unique<const Episode>(std::move(*episode));
  made.spans = std::make_unique<const EpisodeSpans>(spans::compute_spans(*made.episode));
  const std::size_t count = made.spans->spans.size();
  if (number == 0 || number > count) {
    throw Error(ExitCode::usage, count == 0 ? fmt::format("episode '{}' has no spans", printable(name))
                                            : fmt::format("episode '{}' has no span S{}; its spans are S1 to S{}",
                                                          printable(name), number, count));
  }
  made.files =
      std::make_unique<const evidence::EvidenceSet>(*made.episode, *made.spans, made.spans->spans[number - 1], options);
  return made;
}

}  // namespace memuse::workflow
