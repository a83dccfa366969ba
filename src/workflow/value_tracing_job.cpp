#include "workflow/value_tracing_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>

#include "ingest/inputs.h"
#include "ingest/merit_flags.h"
#include "ingest/task_files.h"
#include "model/error.h"
#include "model/text.h"
#include "workflow/memory_probe_file.h"
#include "workflow/study_plan.h"

namespace memuse::workflow {
namespace {

using value_tracing::EpisodeTrace;
using value_tracing::MemoryProbe;
using value_tracing::ScoredProbe;

constexpr std::size_t kEpisodesListed = 10;
constexpr std::string_view kMeritFormat = "merit";

void append_all(std::vector<Diagnostic>& all, std::vector<Diagnostic>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Which runs the rows of a manifest lead to. Reads the traces for their names alone.
RunsByNaming runs_of_rows(const std::vector<ingest::Input>& files, ingest::PipelineOptions pipeline) {
  pipeline.read.hash_sources = false;
  RunsByNaming named;
  std::mutex mutex;
  ingest::read_inputs(
      files, pipeline, [](Episode&&) {},
      [&](ingest::FileReport&& file) {
        const std::lock_guard lock(mutex);
        if (file.naming) named[file.naming.get()].runs.merge(file.runs);
      });
  return named;
}

/// Adds to an episode what the user says of it.
void apply_task_files(Episode& episode, const ingest::ProbeTable& probes, const OutcomesByTask& outcomes) {
  ingest::apply_probes(episode, probes);
  if (const std::optional<bool> flag = ingest::merit_utilized(episode)) {
    episode.probe->memory_utilized_recomputed = flag;
  }
  const store::ScopedOutcome* row = outcomes.find(episode.task_id, episode.configuration, episode.run);
  if (row == nullptr) return;
  if (!episode.outcome) episode.outcome.emplace();
  episode.outcome->resolved = row->resolved;
  if (row->reward) episode.outcome->reward = row->reward;
  episode.outcome->source = "outcomes file";
}

/// Reads all runs. `take` gets the episodes from any of the threads. Returns whether reading was stopped.
bool read_runs(const IngestOptions& options, const std::function<void(Episode&&)>& take,
               std::vector<Diagnostic>& diagnostics) {
  const StudyPlan plan(options.traces, options.manifest, options.outcomes, diagnostics);
  ingest::ProbeTable probes;
  if (!options.probes.empty()) probes = ingest::read_probes(options.probes, diagnostics);
  ingest::InputList inputs = ingest::find_inputs(plan.paths());
  append_all(diagnostics, std::move(inputs.diagnostics));
  // An episode is counted when it is read, so its outcome must be known by then.
  const RunsByNaming named =
      plan.has_outcomes_of_rows() ? runs_of_rows(inputs.files, options.pipeline) : RunsByNaming();
  const OutcomesByTask outcomes(plan.named_outcomes(named));
  std::mutex mutex;
  ingest::read_inputs(
      inputs.files, options.pipeline,
      [&](Episode&& episode) {
        apply_task_files(episode, probes, outcomes);
        take(std::move(episode));
      },
      [&](ingest::FileReport&& file) {
        const std::lock_guard lock(mutex);
        append_all(diagnostics, std::move(file.diagnostics));
      });
  std::sort(diagnostics.begin(), diagnostics.end());
  return options.pipeline.stop != nullptr && options.pipeline.stop->load();
}

/// MERIT's damage writes other digits into what is stored; only then are such values looked for.
value_tracing::TraceOptions trace_options(const Episode& episode) {
  value_tracing::TraceOptions options;
  if (episode.source.format != kMeritFormat || !episode.probe || !episode.probe->corruption) return options;
  const std::string_view mode = episode.probe->corruption->mode;
  options.digit_shifts = mode == "stale" || mode == "contradiction";
  return options;
}

EpisodeTrace trace_of(const Episode& episode) {
  return value_tracing::trace_values(episode, ingest::printed_arguments(episode.steps), trace_options(episode));
}

std::string full_name(const Episode& episode) {
  return fmt::format("{}/{}/{}", episode.configuration, episode.run, episode.id);
}

bool has_name(const Episode& episode, const std::string& name) {
  return name == episode.id || name == fmt::format("{}/{}", episode.run, episode.id) || name == full_name(episode);
}

/// Reads the runs and gives back the one episode of that name.
Episode find_episode(const IngestOptions& options, const std::string& name, std::vector<Diagnostic>& diagnostics) {
  std::optional<Episode> found;
  std::set<std::string> candidates;
  std::uint64_t matches = 0;
  std::mutex mutex;
  const bool stopped = read_runs(
      options,
      [&](Episode&& episode) {
        if (!has_name(episode, name)) return;
        const std::lock_guard lock(mutex);
        ++matches;
        candidates.insert(full_name(episode));
        found = std::move(episode);
      },
      diagnostics);
  if (stopped) throw Error(ExitCode::interrupted, "interrupted before all runs were read");
  if (matches == 0) {
    throw Error(ExitCode::usage,
                fmt::format("no episode of these runs is called '{}'; name it as EPISODE, RUN/EPISODE or "
                            "CONFIGURATION/RUN/EPISODE (`--episodes rows.csv` lists them)",
                            printable(name)));
  }
  if (matches > 1) {
    std::string list;
    std::size_t listed = 0;
    for (const std::string& candidate : candidates) {
      if (listed++ == kEpisodesListed) break;
      list += "\n  " + printable(candidate);
    }
    if (candidates.size() > kEpisodesListed)
      list += fmt::format("\n  and {} more", candidates.size() - kEpisodesListed);
    throw Error(ExitCode::usage,
                fmt::format("{} episodes are called '{}'; name one of them whole:{}", matches, printable(name), list));
  }
  return std::move(*found);
}

/// Gathers what the threads trace.
class ValueGatherer {
 public:
  ValueGatherer(report::ValueReport& report, bool keep) : report_(report), keep_(keep) {}

  void take(const Episode& episode) {
    const bool traceable = value_tracing::is_traceable(episode);
    EpisodeTrace trace;
    if (traceable) trace = trace_of(episode);
    const std::lock_guard lock(mutex_);
    ++report_.episodes;
    if (!traceable) {
      const bool dependent = episode.probe && episode.probe->dependent.value_or(false);
      ++(dependent ? report_.without_gold : report_.independent);
      return;
    }
    if (trace_options(episode).digit_shifts) ++report_.digit_shifted;
    report_.tally[value_tracing::setting_of(episode)].add(episode, trace);
    if (keep_) report_.traced.emplace_back(report::episode_place(episode), std::move(trace));
  }

 private:
  report::ValueReport& report_;
  bool keep_;
  std::mutex mutex_;
};

std::vector<ScoredProbe> scores_of(const Episode& episode, const std::vector<const MemoryProbe*>& probes) {
  std::vector<ScoredProbe> scored;
  scored.reserve(probes.size());
  for (const MemoryProbe* probe : probes) scored.push_back(value_tracing::score(episode, *probe));
  return scored;
}

/// Probes by task.
class ProbeIndex {
 public:
  explicit ProbeIndex(const std::vector<MemoryProbe>& probes) {
    for (const MemoryProbe& probe : probes) by_task_[probe.task_id].push_back(&probe);
  }
  [[nodiscard]] std::vector<const MemoryProbe*> of(const Episode& episode) const {
    std::vector<const MemoryProbe*> fitting;
    const auto found = by_task_.find(episode.task_id);
    if (found == by_task_.end()) return fitting;
    for (const MemoryProbe* probe : found->second) {
      if (probe->speaks_of(episode)) fitting.push_back(probe);
    }
    return fitting;
  }

 private:
  std::map<std::string, std::vector<const MemoryProbe*>, std::less<>> by_task_;
};

/// Gathers what the threads score.
class ProbeGatherer {
 public:
  ProbeGatherer(report::MemoryProbeReport& report, const std::vector<MemoryProbe>& probes, bool keep)
      : report_(report), index_(probes), keep_(keep) {}

  void take(const Episode& episode) {
    const std::vector<const MemoryProbe*> probes = index_.of(episode);
    std::vector<ScoredProbe> scored = scores_of(episode, probes);
    const std::lock_guard lock(mutex_);
    ++report_.episodes;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      matched_.insert(probes[i]);
      report_.tally[{value_tracing::setting_of(episode), probes[i]->kind}].add(episode, scored[i]);
      if (keep_) report_.scored.push_back({report::episode_place(episode), *probes[i], std::move(scored[i])});
    }
  }

  /// Warnings about probes that no episode fits.
  std::vector<Diagnostic> unmatched(const std::vector<MemoryProbe>& probes, const std::string& file) {
    std::vector<Diagnostic> diagnostics;
    for (const MemoryProbe& probe : probes) {
      if (matched_.contains(&probe)) continue;
      ++report_.unmatched;
      std::string detail = printable(shortened(probe.task_id, 100));
      if (!probe.run.empty()) detail += fmt::format(", in run {}", printable(shortened(probe.run, 60)));
      if (!probe.configuration.empty()) detail += fmt::format(" of {}", printable(shortened(probe.configuration, 60)));
      diagnostics.push_back({file, probe.line, 0, Severity::warning, Fault::unmatched_outcome, detail, 1});
    }
    return diagnostics;
  }

 private:
  report::MemoryProbeReport& report_;
  ProbeIndex index_;
  bool keep_;
  std::mutex mutex_;
  std::set<const MemoryProbe*> matched_;
};

}  // namespace

report::ValueReport trace_runs(const ValueTracingOptions& options) {
  report::ValueReport report;
  ValueGatherer gatherer(report, options.keep_episodes);
  report.interrupted = read_runs(
      options.input, [&](Episode&& episode) { gatherer.take(episode); }, report.diagnostics);
  std::sort(report.traced.begin(), report.traced.end(),
            [](const auto& a, const auto& b) { return report::row_before(a.first, b.first); });
  return report;
}

ExplainedEpisode explain_values(const ValueTracingOptions& options, const std::string& name) {
  ExplainedEpisode explained;
  explained.episode = find_episode(options.input, name, explained.diagnostics);
  if (!value_tracing::is_traceable(explained.episode)) {
    throw Error(ExitCode::usage,
                fmt::format("episode {} has no gold values to trace: its task is independent, or no probe names any "
                            "(--probes; docs/merit.md)",
                            printable(full_name(explained.episode))));
  }
  explained.trace = trace_of(explained.episode);
  return explained;
}

report::MemoryProbeReport score_memory_probes(const MemoryProbeOptions& options) {
  report::MemoryProbeReport report;
  const std::vector<MemoryProbe> probes = read_memory_probes(options.file, report.diagnostics);
  report.declared = probes.size();
  ProbeGatherer gatherer(report, probes, options.keep_episodes);
  report.interrupted = read_runs(
      options.input, [&](Episode&& episode) { gatherer.take(episode); }, report.diagnostics);
  if (!report.interrupted) append_all(report.diagnostics, gatherer.unmatched(probes, options.file));
  std::sort(report.diagnostics.begin(), report.diagnostics.end());
  std::sort(report.scored.begin(), report.scored.end(), [](const auto& a, const auto& b) {
    if (report::row_before(a.place, b.place)) return true;
    return !report::row_before(b.place, a.place) && a.probe.line < b.probe.line;
  });
  return report;
}

ExplainedProbes explain_memory_probes(const MemoryProbeOptions& options, const std::string& name) {
  ExplainedProbes explained;
  const std::vector<MemoryProbe> probes = read_memory_probes(options.file, explained.diagnostics);
  explained.episode = find_episode(options.input, name, explained.diagnostics);
  const std::vector<const MemoryProbe*> fitting = ProbeIndex(probes).of(explained.episode);
  std::vector<ScoredProbe> scored = scores_of(explained.episode, fitting);
  for (std::size_t i = 0; i < fitting.size(); ++i) explained.probes.emplace_back(*fitting[i], std::move(scored[i]));
  if (explained.probes.empty()) {
    throw Error(ExitCode::usage, fmt::format("no probe of '{}' speaks of episode {}", printable(options.file),
                                             printable(full_name(explained.episode))));
  }
  return explained;
}

}  // namespace memuse::workflow
