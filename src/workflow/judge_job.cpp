#include "workflow/judge_job.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>

#include "judge/checks.h"
#include "judge/tracer.h"
#include "model/text.h"
#include "model/version.h"
#include "rules/verdict.h"
#include "spans/spans.h"
#include "store/database.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "workflow/sources.h"

// Episodes are judged in pages: one thread reads records, all judge their page, one writes the answers in the order of
// the records. Memory is that of one page, and the database is the same for any number of threads.

namespace memuse::workflow {
namespace {

constexpr std::size_t kEpisodesAtATime = 64;

/// An episode with spans to judge.
struct JudgeWork {
  EpisodeSpansRecord record;
  std::optional<store::ProbeRecord> probe;
  std::string basis;
};

struct SpanResult {
  std::uint32_t span = 0;
  Answer answer;
  Verdict verdict = Verdict::neutral;
  std::vector<std::string> faults;  ///< why the answer is refused; empty when it is accepted
};

struct WorkResult {
  std::vector<SpanResult> spans;
  std::optional<Diagnostic> fault;  ///< the source could not be read
};

/// Hash of what the offline judge's effects rest on beside the trace (semantics.md §10).
std::string answer_basis(const EpisodeRecord& record, const std::optional<store::ProbeRecord>& probe) {
  std::string basis = record.resolved ? (*record.resolved ? "passed" : "failed") : "unknown";
  if (probe) {
    for (const auto* values : {&probe->gold, &probe->stale}) {
      basis += fmt::format("|{}", values->size());
      for (const std::string& value : *values) basis += fmt::format("|{}:{}", value.size(), value);
    }
  }
  constexpr std::size_t kDigits = 16;
  return sha256_hex(basis).substr(0, kDigits);
}

/// Spans that have no answer, or one that rests on an outcome or probe that has changed since.
bool needs_answer(const SpanRecord& span, const std::string& basis) {
  return span.routing == Routing::judged && (span.status == SpanStatus::not_judged || span.answer_basis != basis);
}

WorkResult judge_episode(const JudgeWork& work, const SourceReader& sources, const SourceRoots& roots) {
  WorkResult result;
  SourceRead read = sources.read(work.record.episode, work.probe, roots);
  if (!read.episode) {
    result.fault = std::move(read.fault);
    return result;
  }
  const Episode& episode = *read.episode;
  const EpisodeSpans spans = spans::compute_spans(episode);
  const judge::Tracer tracer(episode, spans);
  for (const SpanRecord& wanted : work.record.spans) {
    if (!needs_answer(wanted, work.basis)) continue;
    const Span& span = spans.spans.at(wanted.number - 1);
    SpanResult answered;
    answered.span = span.number;
    answered.answer = tracer.judge(span);
    answered.faults = judge::answer_faults(episode, span, answered.answer, judge::tracer_checks());
    answered.verdict = rules::answer_verdict(answered.answer);
    result.spans.push_back(std::move(answered));
  }
  return result;
}

/// Judges page after page and stores the answers.
class TracerRun {
 public:
  TracerRun(const JudgeOptions& options, const SourceReader& sources, Progress& progress,
            store::JudgementWriter& writer, std::int64_t set, JudgeSummary& summary)
      : options_(options), sources_(sources), progress_(progress), writer_(writer), set_(set), summary_(summary) {}

  void take(JudgeWork work) {
    page_.push_back(std::move(work));
    if (page_.size() >= kEpisodesAtATime) flush();
  }

  void flush() {
    std::vector<WorkResult> results(page_.size());
    tbb::parallel_for(std::size_t{0}, page_.size(), [&](std::size_t index) {
      results[index] = judge_episode(page_[index], sources_, options_.source_roots);
    });
    for (std::size_t i = 0; i < page_.size(); ++i) store_results(page_[i], results[i]);
    progress_.advance(page_.size());
    page_.clear();
  }

 private:
  void store_results(const JudgeWork& work, WorkResult& result) {
    const EpisodeSpansRecord& record = work.record;
    if (result.fault) {
      summary_.unread += static_cast<std::uint64_t>(
          std::count_if(record.spans.begin(), record.spans.end(),
                        [&](const SpanRecord& span) { return needs_answer(span, work.basis); }));
      summary_.diagnostics.push_back(std::move(*result.fault));
      return;
    }
    for (const SpanResult& span : result.spans) {
      if (span.faults.empty()) {
        writer_.put_answer(set_, record.episode.uid, span.span, span.answer, span.verdict, {}, work.basis);
        ++summary_.judged;
      } else {
        writer_.put_unresolved(set_, record.episode.uid, span.span, fmt::format("{}", fmt::join(span.faults, "; ")), {},
                               work.basis);
        ++summary_.unresolved;
      }
    }
  }

  const JudgeOptions& options_;
  const SourceReader& sources_;
  Progress& progress_;
  store::JudgementWriter& writer_;
  std::int64_t set_;
  JudgeSummary& summary_;
  std::vector<JudgeWork> page_;
};

}  // namespace

JudgeSummary judge_with_tracer(const JudgeOptions& options, Progress& progress) {
  // Refuses a missing file, which `open` would create.
  store::Database::open_existing(options.database).close();
  store::Database database = store::Database::open(options.database);
  JudgeSummary summary;
  summary.judge = judge::kTracer;
  {
    store::JudgementWriter writer(database, store::Durability::batched);
    const std::int64_t set = writer.open_judgement_set(judge::kTracer, kRuleSet, "{}", false, false, true);
    writer.flush();
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    tbb::task_arena arena(static_cast<int>(options.jobs == 0 ? cores : options.jobs));
    const SourceReader sources(database);
    TracerRun run(options, sources, progress, writer, set, summary);
    progress.begin("judging", "episodes", 0);
    arena.execute([&] {
      store::for_each_episode(database, {}, set, [&](const EpisodeSpansRecord& record) {
        JudgeWork work{record, store::episode_probe(database, record.episode.uid), {}};
        work.basis = answer_basis(record.episode, work.probe);
        bool wanted = false;
        for (const SpanRecord& span : record.spans) {
          if (span.routing != Routing::judged) continue;
          ++summary.spans;
          if (needs_answer(span, work.basis)) {
            wanted = true;
          } else {
            ++summary.kept;
          }
        }
        if (wanted) run.take(std::move(work));
        summary.interrupted = options.stop != nullptr && options.stop->load();
        return !summary.interrupted;
      });
      run.flush();
    });
    progress.end();
    writer.flush();
  }
  database.close();
  std::sort(summary.diagnostics.begin(), summary.diagnostics.end());
  return summary;
}

}  // namespace memuse::workflow
