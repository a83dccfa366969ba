#include "workflow/check_job.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "spans/spans.h"
#include "workflow/ingest_job.h"
#include "workflow/quarantine.h"
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
  if (episode.visibility == VisibilityGrade::unknown) totals.without_spans += episode.deliveries.size();
  if (episode.probe) ++totals.probes;
  const bool has_outcome = episode.outcome && episode.outcome->resolved;
  if (has_outcome) ++totals.outcomes;
  if (has_outcome || episode.end_reason) ++totals.finalised;
  ++totals.visibility[static_cast<std::size_t>(episode.visibility)];
  ++totals.delivery_grade[static_cast<std::size_t>(episode.delivery_grade)];
}

bool is_drift(const Diagnostic& diagnostic) {
  return diagnostic.fault == Fault::unknown_field || diagnostic.fault == Fault::unknown_type;
}

/// Calls `take(diagnostic, format)` for all, in the order of files and places.
template <typename Take>
void for_each_diagnostic(const CheckReport& report, const Take& take) {
  for (const Diagnostic& diagnostic : report.input_diagnostics) take(diagnostic, std::string());
  for (const ingest::FileReport& file : report.files) {
    for (const Diagnostic& diagnostic : file.diagnostics) take(diagnostic, file.format);
  }
}

std::vector<FaultGroup> group_faults(const CheckReport& report) {
  std::map<std::pair<Fault, Severity>, FaultGroup> groups;
  std::map<std::pair<Fault, Severity>, std::string> last_file;
  for_each_diagnostic(report, [&](const Diagnostic& diagnostic, const std::string&) {
    if (is_drift(diagnostic)) return;
    const auto kind = std::pair(diagnostic.fault, diagnostic.severity);
    const auto [found, is_new] = groups.try_emplace(kind);
    FaultGroup& group = found->second;
    if (is_new) {
      group.severity = diagnostic.severity;
      group.fault = diagnostic.fault;
      group.first = diagnostic;
    }
    group.count += diagnostic.count;
    if (std::exchange(last_file[kind], diagnostic.file) != diagnostic.file || is_new) ++group.files;
  });
  std::vector<FaultGroup> all;
  for (auto& [kind, group] : groups) all.push_back(std::move(group));
  std::stable_sort(all.begin(), all.end(), [](const FaultGroup& a, const FaultGroup& b) {
    return std::tuple(b.severity, b.count) < std::tuple(a.severity, a.count);
  });
  return all;
}

std::vector<UnknownThing> group_unknown(const CheckReport& report) {
  std::map<std::tuple<std::string, Fault, std::string>, UnknownThing> things;
  for_each_diagnostic(report, [&](const Diagnostic& diagnostic, const std::string& format) {
    if (!is_drift(diagnostic)) return;
    UnknownThing& thing = things[{format, diagnostic.fault, diagnostic.detail}];
    thing.format = format;
    thing.name = diagnostic.detail;
    thing.is_type = diagnostic.fault == Fault::unknown_type;
    thing.count += diagnostic.count;
    ++thing.files;  // listed once in each
  });
  std::vector<UnknownThing> all;
  for (auto& [key, thing] : things) all.push_back(std::move(thing));
  std::stable_sort(all.begin(), all.end(), [](const UnknownThing& a, const UnknownThing& b) {
    return std::tuple(a.format, b.is_type, b.count) < std::tuple(b.format, a.is_type, a.count);
  });
  return all;
}

std::vector<FormatGroup> group_formats(const CheckReport& report) {
  std::map<std::tuple<bool, std::string, std::string>, FormatGroup> groups;
  for (const ingest::FileReport& file : report.files) {
    FormatGroup& group = groups[{file.format.empty(), file.format, file.format_version}];
    group.format = file.format;
    group.version = file.format_version;
    ++group.files;
    group.bytes += file.bytes;
    group.episodes += file.episodes;
    group.outcomes += file.outcomes.size();
    group.records.add(file.records);
  }
  std::vector<FormatGroup> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  return all;
}

void complete(CheckReport& report) {
  std::sort(report.files.begin(), report.files.end(), [](const ingest::FileReport& a, const ingest::FileReport& b) {
    return std::tie(a.path, a.input) < std::tie(b.path, b.input);
  });
  for (const ingest::FileReport& file : report.files) report.records.add(file.records);
  report.formats = group_formats(report);
  report.faults = group_faults(report);
  report.unknown = group_unknown(report);
}

}  // namespace

bool CheckReport::has_errors() const {
  return any_error(input_diagnostics) || std::any_of(files.begin(), files.end(), [](const ingest::FileReport& file) {
           return any_error(file.diagnostics);
         });
}

CheckReport check_traces(const IngestOptions& options, const CheckWishes& wishes) {
  CheckReport report;
  std::vector<std::string> traces = options.traces;
  const StandardInput standard_input(traces, "");
  const StudyPlan plan(traces, options.manifest, "", report.input_diagnostics);
  ingest::InputList inputs = ingest::find_inputs(plan.paths());
  standard_input.name(inputs.files);
  report.input_diagnostics.insert(report.input_diagnostics.end(), inputs.diagnostics.begin(), inputs.diagnostics.end());
  std::optional<Quarantine> quarantine;
  ingest::PipelineOptions pipeline = options.pipeline;
  pipeline.read.hash_sources = false;
  if (wishes.set_aside != nullptr) {
    quarantine.emplace(inputs.files.size(), *wishes.set_aside, wishes.raw_folder);
    pipeline.set_aside = [&](std::size_t input) { return quarantine->taker(input); };
  }
  std::mutex mutex;
  ingest::read_inputs(
      inputs.files, pipeline,
      [&](Episode&& episode) {
        const EpisodeSpans spans = spans::compute_spans(episode);
        std::map<std::string, std::uint64_t> suggested;
        if (pipeline.read.rules == nullptr) suggested = RuleSuggestions::try_presets(episode);
        const std::lock_guard lock(mutex);
        add_to(report.totals, episode, spans);
        if (wishes.matches) report.matches.add(episode);
        report.suggestions.add(suggested);
      },
      [&](ingest::FileReport&& file) {
        // An archive has a report for each member, and ends with the reading.
        if (quarantine && !inputs.files[file.input].is_archive()) quarantine->finish(file.input);
        const std::lock_guard lock(mutex);
        report.files.push_back(std::move(file));
      });
  if (quarantine) {
    quarantine->finish();
    report.set_aside_listed = quarantine->written();
  }
  complete(report);
  return report;
}

}  // namespace memuse::workflow
