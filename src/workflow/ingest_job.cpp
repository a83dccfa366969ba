#include "workflow/ingest_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "ingest/canonical_trace_writer.h"
#include "ingest/delivery_rules.h"
#include "ingest/merit_flags.h"
#include "ingest/task_files.h"
#include "model/error.h"
#include "model/text.h"
#include "spans/spans.h"
#include "store/database.h"
#include "store/outcomes.h"
#include "store/reader.h"
#include "store/study_facts.h"
#include "store/writer.h"
#include "workflow/bounded_queue.h"
#include "workflow/found_outcomes.h"
#include "workflow/standard_input.h"
#include "workflow/study_plan.h"

// Reading and writing run side by side: the threads of the pipeline parse, compute spans and prepare rows, one thread
// writes them. The queue between them is short, so that reading waits for the database and memory stays bounded.

namespace memuse::workflow {
namespace {

constexpr std::size_t kQueueLength = 16;

/// The thread that owns the writer. The first exception it meets closes the queue and is thrown by `finish`.
class WriterThread {
 public:
  explicit WriterThread(store::Writer& writer) : writer_(writer), thread_([this] { work(); }) {}
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;
  ~WriterThread() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
  }

  /// False when the writer has failed; reading should stop.
  bool push(store::PreparedEpisode episode) { return queue_.push(std::move(episode)); }

  /// Waits until everything is written; throws what stopped the writer.
  void finish() {
    queue_.close();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    try {
      while (auto episode = queue_.pop()) writer_.add(*episode);
    } catch (...) {
      failure_ = std::current_exception();
      queue_.close();
    }
  }

  store::Writer& writer_;
  BoundedQueue<store::PreparedEpisode> queue_{kQueueLength};
  std::exception_ptr failure_;
  std::thread thread_;
};

/// The writer has failed; unwinds the reading threads. `WriterThread::finish` throws the reason.
struct WriterStopped {};

void append(std::vector<Diagnostic>& all, std::vector<Diagnostic> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Collects what the files of one reading came to; its calls come from several threads.
class FileReports {
 public:
  void add(ingest::FileReport&& file) {
    const std::lock_guard lock(mutex_);
    // An archive is no file that is looked at: its members are.
    if (file.format != ingest::kArchiveFormat) ++files_;
    files_with_episodes_ += file.episodes > 0 ? 1 : 0;
    episodes_ += file.episodes;
    append(diagnostics_, std::move(file.diagnostics));
    if (file.naming) {
      NamedRuns& named = named_[file.naming.get()];
      named.runs.merge(file.runs);
      named.unplaced += file.unplaced;
    }
    if (file.format == ingest::kReportFormat) reports_.emplace(file.path, std::move(file.outcomes));
  }

  /// What each row of the manifest led to.
  [[nodiscard]] const RunsByNaming& named() const { return named_; }

  /// Evaluation reports among the inputs, by path.
  [[nodiscard]] std::map<std::string, std::vector<ingest::OutcomeRow>> take_reports() { return std::move(reports_); }

  void add_to(IngestSummary& summary) {
    summary.files += files_;
    summary.files_with_episodes += files_with_episodes_;
    summary.episodes += episodes_;
    append(summary.diagnostics, std::move(diagnostics_));
  }

 private:
  std::mutex mutex_;
  std::uint64_t files_ = 0;
  std::uint64_t files_with_episodes_ = 0;
  std::uint64_t episodes_ = 0;
  RunsByNaming named_;
  std::map<std::string, std::vector<ingest::OutcomeRow>> reports_;
  std::vector<Diagnostic> diagnostics_;
};

/// Task ids that were read, to tell which rows of a probes file speak of none of them.
class TasksSeen {
 public:
  void add(std::string_view task_id) {
    const std::lock_guard lock(mutex_);
    seen_.emplace(task_id);
  }

  [[nodiscard]] std::vector<Diagnostic> unmatched(const ingest::ProbeTable& probes, const std::string& file) const {
    std::vector<Diagnostic> diagnostics;
    for (const ingest::ProbeRow& row : probes.rows) {
      if (seen_.contains(row.task_id)) continue;
      diagnostics.push_back(
          {file, row.line, 0, Severity::warning, Fault::unmatched_outcome, printable(shortened(row.task_id, 100)), 1});
    }
    return diagnostics;
  }

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> seen_;
};

/// Counts grades for several threads.
class GradesSeen {
 public:
  void add(const Episode& episode) {
    const std::lock_guard lock(mutex_);
    grades_.add(episode);
  }
  [[nodiscard]] const EpisodeGrades& grades() const { return grades_; }

 private:
  std::mutex mutex_;
  EpisodeGrades grades_;
};

/// Deliveries of this episode stand in no record of it: to see them again, the same rules are needed.
bool found_by_rules(const Episode& episode) {
  return std::any_of(episode.deliveries.begin(), episode.deliveries.end(),
                     [](const Delivery& delivery) { return !ingest::rule_of(delivery).empty(); });
}

/// Computes the flag `memory_utilized` again where gold values allow it, and counts disagreements: one diagnostic per
/// file, at the first of them.
class UtilizedFlags {
 public:
  void recompute(Episode& episode) {
    const std::optional<bool> flag = ingest::merit_utilized(episode);
    if (!flag) return;
    Probe& probe = *episode.probe;
    probe.memory_utilized_recomputed = flag;
    if (!probe.memory_utilized || probe.memory_utilized == flag) return;
    const SourcePlace& source = episode.source;
    Diagnostic found{source.path,
                     source.line,
                     source.byte_begin,
                     Severity::warning,
                     Fault::flag_conflict,
                     fmt::format("`memory_utilized` of episode {} is recorded as {}",
                                 printable(shortened(episode.id, 60)), *probe.memory_utilized),
                     1};
    const std::lock_guard lock(mutex_);
    const auto [known, inserted] = first_.try_emplace(source.path, found);
    if (inserted) return;
    found.count = known->second.count + 1;
    if (std::tie(found.line, found.byte) > std::tie(known->second.line, known->second.byte)) {
      known->second.count = found.count;
    } else {
      known->second = std::move(found);
    }
  }

  std::vector<Diagnostic> conflicts() {
    std::vector<Diagnostic> all;
    for (auto& [path, diagnostic] : first_) all.push_back(std::move(diagnostic));
    return all;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Diagnostic> first_;
};

bool stopped(const ingest::PipelineOptions& options) {
  return options.stop != nullptr && options.stop->load();
}

/// Verdicts of the reports among the inputs.
std::vector<store::ScopedOutcome> found_outcomes(const store::Database& database, const StudyPlan& plan,
                                                 FileReports& files, std::vector<Diagnostic>& diagnostics) {
  FoundOutcomes found(plan.path_names());
  for (auto& [path, rows] : files.take_reports()) found.add_report(path, std::move(rows));
  if (found.empty()) return {};
  store::for_each_source(database, [&](const std::string& path, const store::RunRecord& run) {
    found.add_source(path, run.configuration, run.run);
  });
  return found.join(diagnostics);
}

}  // namespace

bool IngestSummary::has_errors() const {
  return any_error(diagnostics);
}

IngestSummary ingest_traces(const IngestOptions& options, Progress& progress) {
  IngestSummary summary;
  std::vector<std::string> traces = options.traces;
  const StandardInput standard_input(traces, options.database);
  summary.standard_input = standard_input.kept();
  const StudyPlan plan(traces, options.manifest, options.outcomes, summary.diagnostics);
  ingest::InputList inputs = ingest::find_inputs(plan.paths());
  append(summary.diagnostics, std::move(inputs.diagnostics));
  ingest::ProbeTable probes;
  if (!options.probes.empty()) probes = ingest::read_probes(options.probes, summary.diagnostics);

  // Nothing to read, most likely a mistyped path: no database is made for it.
  if (inputs.files.empty()) return summary;
  store::Database database = store::Database::open(options.database);
  const auto& used_rules = options.pipeline.read.rules;
  const std::string rules = used_rules ? store::put_delivery_rules(database, used_rules->json()) : std::string();
  store::Writer writer(database);
  FileReports files;
  TasksSeen tasks;
  GradesSeen grades;
  UtilizedFlags flags;
  progress.begin("reading", "files", inputs.files.size());
  {
    WriterThread thread(writer);
    try {
      ingest::read_inputs(
          inputs.files, options.pipeline,
          [&](Episode&& episode) {
            const bool probed = ingest::apply_probes(episode, probes);
            if (!probes.rows.empty()) tasks.add(episode.task_id);
            grades.add(episode);
            flags.recompute(episode);
            store::PreparedEpisode prepared = store::prepare(episode, spans::compute_spans(episode));
            prepared.probe_from_file = probed;
            if (found_by_rules(episode)) prepared.record.delivery_rules = rules;
            if (!thread.push(std::move(prepared))) throw WriterStopped{};
          },
          [&](ingest::FileReport&& file) {
            files.add(std::move(file));
            progress.advance(1);
          });
    } catch (const WriterStopped&) {
      // The reason is thrown by finish().
    }
    thread.finish();
  }
  progress.end();
  files.add_to(summary);
  summary.grades = grades.grades();
  append(summary.diagnostics, flags.conflicts());
  if (!stopped(options.pipeline)) append(summary.diagnostics, tasks.unmatched(probes, options.probes));
  for (const Diagnostic& diagnostic : summary.diagnostics) writer.add_diagnostic(diagnostic);
  summary.interrupted = stopped(options.pipeline);
  if (summary.interrupted) {
    writer.flush();
  } else {
    store::IngestSummary written = writer.finish();
    summary.episodes_added = written.added;
    summary.episodes_known = written.known;
    summary.episodes_replaced = written.replaced;
    append(summary.diagnostics, std::move(written.diagnostics));
    append(summary.diagnostics, plan.incomplete_orders(files.named()));
    store::set_baselines(database, plan.baselines());
    std::vector<store::ScopedOutcome> outcomes = plan.named_outcomes(files.named());
    summary.outcomes_applied = outcomes.size();
    for (store::ScopedOutcome& found : found_outcomes(database, plan, files, summary.diagnostics)) {
      outcomes.push_back(std::move(found));
    }
    summary.outcomes_found = outcomes.size() - summary.outcomes_applied;
    if (!outcomes.empty()) append(summary.diagnostics, store::set_outcomes(database, outcomes));
  }
  database.close();
  std::sort(summary.diagnostics.begin(), summary.diagnostics.end());
  return summary;
}

IngestSummary emit_trace(const IngestOptions& options, std::ostream& out) {
  IngestSummary summary;
  std::vector<std::string> traces = options.traces;
  const StandardInput standard_input(traces, "");
  const StudyPlan plan(traces, options.manifest, options.outcomes, summary.diagnostics);
  ingest::InputList inputs = ingest::find_inputs(plan.paths());
  standard_input.name(inputs.files);
  append(summary.diagnostics, std::move(inputs.diagnostics));
  ingest::ProbeTable probes;
  if (!options.probes.empty()) probes = ingest::read_probes(options.probes, summary.diagnostics);
  FileReports files;
  ingest::PipelineOptions pipeline = options.pipeline;
  pipeline.jobs = 1;  // the order of files is the order of the output
  ingest::read_inputs(
      inputs.files, pipeline,
      [&](Episode&& episode) {
        ingest::apply_probes(episode, probes);
        summary.grades.add(episode);
        out << ingest::write_canonical_trace(episode);
        if (!out) throw Error(ExitCode::environment, "cannot write the trace; is the disk full?");
      },
      [&](ingest::FileReport&& file) { files.add(std::move(file)); });
  files.add_to(summary);
  summary.interrupted = stopped(options.pipeline);
  std::sort(summary.diagnostics.begin(), summary.diagnostics.end());
  return summary;
}

}  // namespace memuse::workflow
