#include "workflow/merit_job.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "ingest/document.h"
#include "ingest/merit_flags.h"
#include "ingest/task_files.h"
#include "model/error.h"
#include "model/text.h"
#include "workflow/study_plan.h"

namespace memuse::workflow {
namespace {

constexpr std::size_t kLargestFamilyFile = std::size_t{16} << 20;

std::vector<merit::FamilyDeclaration> read_families(const std::string& file) {
  if (file.empty()) return {};
  try {
    const ingest::Document document(ingest::open_file(file), kLargestFamilyFile);
    if (document.too_long()) {
      throw Error(ExitCode::usage, fmt::format("{}: more than {} bytes", printable(file), kLargestFamilyFile));
    }
    return merit::parse_families(document.text(), file);
  } catch (const ingest::ReadFault& fault) {
    throw Error(ExitCode::usage, fmt::format("cannot read {}: {}", printable(file), fault.reason));
  }
}

/// Reads the inputs; its calls come from several threads.
class Reading {
 public:
  Reading(const MeritOptions& options, MeritResult& result) : options_(options.traces), result_(result) {}

  merit::ScoredEpisodes read(Progress& progress) {
    const StudyPlan plan(options_.traces, options_.manifest, options_.outcomes, result_.diagnostics);
    ingest::InputList inputs = ingest::find_inputs(plan.paths());
    append(std::move(inputs.diagnostics));
    if (!options_.probes.empty()) probes_ = ingest::read_probes(options_.probes, result_.diagnostics);
    progress.begin("reading", "files", inputs.files.size());
    ingest::read_inputs(
        inputs.files, options_.pipeline, [this](Episode&& episode) { take(std::move(episode)); },
        [&](ingest::FileReport&& file) {
          take(std::move(file));
          progress.advance(1);
        });
    progress.end();
    const OutcomesByTask outcomes(plan.named_outcomes(named_));
    for (merit::ScoredEpisode& episode : episodes_.rows) {
      const store::ScopedOutcome* row = outcomes.find(episode.task, episode.configuration, episode.run);
      if (row != nullptr) episode.outcome = row->resolved;
    }
    episodes_.settle();
    return std::move(episodes_);
  }

 private:
  void append(std::vector<Diagnostic> more) {
    result_.diagnostics.insert(result_.diagnostics.end(), std::make_move_iterator(more.begin()),
                               std::make_move_iterator(more.end()));
  }

  void take(Episode&& episode) {
    ingest::apply_probes(episode, probes_);
    if (episode.probe) episode.probe->memory_utilized_recomputed = ingest::merit_utilized(episode);
    const std::lock_guard lock(mutex_);
    ++result_.episodes;
    episodes_.add(episode);
  }

  void take(ingest::FileReport&& file) {
    const std::lock_guard lock(mutex_);
    if (file.episodes > 0) ++result_.files;
    append(std::move(file.diagnostics));
    if (!file.naming) return;
    NamedRuns& named = named_[file.naming.get()];
    named.runs.merge(file.runs);
    named.unplaced += file.unplaced;
  }

  const IngestOptions& options_;
  MeritResult& result_;
  ingest::ProbeTable probes_;
  std::mutex mutex_;
  merit::ScoredEpisodes episodes_;
  RunsByNaming named_;
};

[[noreturn]] void refuse(const MeritResult& result, const merit::ScoredEpisodes& episodes) {
  if (result.episodes == 0) throw Error(ExitCode::usage, "no episodes were found; name run directories or trace files");
  throw Error(ExitCode::usage,
              fmt::format("none of {} episodes can be scored: {} have no outcome, of {} it is not known whether their "
                          "task depends on memory (a probe's `dependent`; see --outcomes and --probes)",
                          result.episodes, episodes.not_scored[static_cast<std::size_t>(merit::NotScored::no_outcome)],
                          episodes.not_scored[static_cast<std::size_t>(merit::NotScored::no_dependence)]));
}

void warn_of_family_conditions(const MeritOptions& options, MeritResult& result) {
  for (const merit::FamilyResult& family : result.analysis.families) {
    std::uint64_t without = 0;
    for (const merit::PlacedComparison& placed : family.comparisons) {
      if (!placed.comparison.difference) ++without;
    }
    if (without == 0 && !family.comparisons.empty()) continue;
    const std::string words =
        family.comparisons.empty()
            ? fmt::format("family `{}` takes none of the cells", printable(family.declaration.name))
            : fmt::format("{} of {} comparisons of family `{}` have no arc with episodes on both sides", without,
                          family.comparisons.size(), printable(family.declaration.name));
    result.diagnostics.push_back({options.families, 0, 0, Severity::warning, Fault::unmatched_record, words, 1});
  }
}

}  // namespace

bool MeritResult::has_errors() const {
  return any_error(diagnostics) || analysis.met_again > 0;
}

MeritResult measure_merit(const MeritOptions& options, Progress& progress) {
  MeritResult result;
  merit::AnalysisOptions analysis = options.analysis;
  analysis.families = read_families(options.families);
  const merit::ScoredEpisodes episodes = Reading(options, result).read(progress);
  const std::atomic<bool>* stop = options.traces.pipeline.stop;
  result.interrupted = stop != nullptr && stop->load();
  if (result.interrupted) return result;
  if (episodes.rows.empty()) {
    std::sort(result.diagnostics.begin(), result.diagnostics.end());
    refuse(result, episodes);
  }
  const unsigned jobs = options.traces.pipeline.jobs;
  tbb::task_arena arena(jobs == 0 ? tbb::task_arena::automatic : static_cast<int>(jobs));
  arena.execute([&] { result.analysis = merit::analyse(episodes, analysis); });
  warn_of_family_conditions(options, result);
  std::sort(result.diagnostics.begin(), result.diagnostics.end());
  return result;
}

}  // namespace memuse::workflow
