#include <algorithm>
#include <map>
#include <mutex>

#include "model/error.h"
#include "spans/spans.h"
#include "workflow/ingest_job.h"
#include "workflow/standard_input.h"
#include "workflow/study_plan.h"

namespace memuse::workflow {
namespace {

void add_to(CheckReport::Totals& totals, const Episode& episode, const EpisodeSpans& spans) {
  ++totals.episodes;
  totals.steps += episode.steps.size();
  totals.messages += episode.messages.size();
  for (const Step& step : episode.steps) totals.actions += step.actions.size();
  totals.deliveries += episode.deliveries.size();
  totals.unconsumed += spans.unconsumed.size();
  totals.spans += spans.spans.size();
  if (episode.probe) ++totals.probes;
  const bool has_outcome = episode.outcome && episode.outcome->resolved;
  if (has_outcome) ++totals.outcomes;
  if (has_outcome || episode.end_reason) ++totals.finalised;
  ++totals.visibility[static_cast<std::size_t>(episode.visibility)];
  ++totals.delivery_grade[static_cast<std::size_t>(episode.delivery_grade)];
}

}  // namespace

bool CheckReport::has_errors() const {
  return any_error(input_diagnostics) || std::any_of(files.begin(), files.end(), [](const ingest::FileReport& file) {
           return any_error(file.diagnostics);
         });
}

CheckReport check_traces(const IngestOptions& options, bool matches) {
  CheckReport report;
  std::vector<std::string> traces = options.traces;
  const StandardInput standard_input(traces, "");
  const StudyPlan plan(traces, options.manifest, "", report.input_diagnostics);
  ingest::InputList inputs = ingest::find_inputs(plan.paths());
  standard_input.name(inputs.files);
  report.input_diagnostics.insert(report.input_diagnostics.end(), inputs.diagnostics.begin(), inputs.diagnostics.end());
  std::mutex mutex;
  ingest::read_inputs(
      inputs.files, options.pipeline,
      [&](Episode&& episode) {
        const EpisodeSpans spans = spans::compute_spans(episode);
        std::map<std::string, std::uint64_t> suggested;
        if (options.pipeline.read.rules == nullptr) suggested = RuleSuggestions::try_presets(episode);
        const std::lock_guard lock(mutex);
        add_to(report.totals, episode, spans);
        if (matches) report.matches.add(episode);
        report.suggestions.add(suggested);
      },
      [&](ingest::FileReport&& file) {
        const std::lock_guard lock(mutex);
        report.files.push_back(std::move(file));
      });
  std::sort(report.files.begin(), report.files.end(),
            [](const ingest::FileReport& a, const ingest::FileReport& b) { return a.path < b.path; });
  return report;
}

}  // namespace memuse::workflow
