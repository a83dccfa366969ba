#include "workflow/study_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/text.h"

namespace memuse::workflow {
namespace {

std::optional<std::string> non_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

bool speaks_of(const store::OutcomeScope& scope, std::string_view configuration, std::string_view run) {
  return (!scope.configuration || *scope.configuration == configuration) && (!scope.run || *scope.run == run);
}

int specificity(const store::OutcomeScope& scope) {
  return (scope.configuration ? 2 : 0) + (scope.run ? 1 : 0);
}

}  // namespace

OutcomesByTask::OutcomesByTask(std::vector<store::ScopedOutcome> rows) {
  for (store::ScopedOutcome& row : rows) {
    if (!row.resolved) continue;
    std::vector<store::ScopedOutcome>& of_task = by_task_[row.task_id];
    of_task.push_back(std::move(row));
  }
}

const store::ScopedOutcome* OutcomesByTask::find(std::string_view task, std::string_view configuration,
                                                 std::string_view run) const {
  const auto found = by_task_.find(task);
  if (found == by_task_.end()) return nullptr;
  const store::ScopedOutcome* best = nullptr;
  for (const store::ScopedOutcome& row : found->second) {
    if (!speaks_of(row.scope, configuration, run)) continue;
    if (best == nullptr || specificity(row.scope) >= specificity(best->scope)) best = &row;
  }
  return best;
}

StudyPlan::StudyPlan(const std::vector<std::string>& traces, const std::string& manifest, const std::string& outcomes,
                     std::vector<Diagnostic>& diagnostics)
    : outcomes_file_(outcomes) {
  for (const std::string& path : traces) paths_.push_back({path, nullptr});
  if (!outcomes.empty()) outcomes_ = ingest::read_outcomes(outcomes, diagnostics);
  if (manifest.empty()) return;
  for (ingest::ManifestRow& row : ingest::read_manifest(manifest)) {
    NamedRow named{std::move(row), nullptr, {}};
    named.naming = ingest::naming_of(named.row);
    if (!named.row.outcomes.empty()) named.outcomes = ingest::read_outcomes(named.row.outcomes, diagnostics);
    paths_.push_back({named.row.path, named.naming});
    rows_.push_back(std::move(named));
  }
}

std::vector<std::string> StudyPlan::path_names() const {
  std::vector<std::string> names;
  for (const ingest::NamedPath& named : paths_) names.push_back(named.path);
  return names;
}

std::map<std::string, bool> StudyPlan::baselines() const {
  std::map<std::string, bool> baselines;
  for (const NamedRow& named : rows_) {
    if (named.row.baseline && !named.row.configuration.empty()) {
      baselines.emplace(named.row.configuration, *named.row.baseline);
    }
  }
  return baselines;
}

std::vector<store::ScopedOutcome> StudyPlan::named_outcomes(const RunsByNaming& named_runs) const {
  std::vector<store::ScopedOutcome> outcomes;
  for (const ingest::OutcomeRow& row : outcomes_.rows) {
    outcomes.push_back(scoped_outcome(row, {non_empty(row.configuration), non_empty(row.run)}, outcomes_file_));
  }
  for (const NamedRow& named : rows_) {
    const auto led_to = named_runs.find(named.naming.get());
    if (led_to == named_runs.end()) continue;
    for (const auto& [configuration, run] : led_to->second.runs) {
      for (const ingest::OutcomeRow& row : named.outcomes.rows) {
        if (!row.configuration.empty() && row.configuration != configuration) continue;
        if (!row.run.empty() && row.run != run) continue;
        outcomes.push_back(scoped_outcome(row, {configuration, run}, named.row.outcomes));
      }
    }
  }
  return outcomes;
}

bool StudyPlan::has_outcomes_of_rows() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const NamedRow& named) { return !named.outcomes.rows.empty(); });
}

std::vector<Diagnostic> StudyPlan::incomplete_orders(const RunsByNaming& named_runs) const {
  std::vector<Diagnostic> found;
  for (const NamedRow& named : rows_) {
    const auto led_to = named_runs.find(named.naming.get());
    if (led_to == named_runs.end() || led_to->second.unplaced == 0) continue;
    found.push_back({named.row.order, 0, 0, Severity::warning, Fault::unknown_value,
                     fmt::format("this order names no place for {} of the episodes of {}; it has one task id a line",
                                 led_to->second.unplaced, printable(named.row.path)),
                     1});
  }
  return found;
}

store::ScopedOutcome scoped_outcome(const ingest::OutcomeRow& row, store::OutcomeScope scope, const std::string& file) {
  store::ScopedOutcome outcome;
  outcome.task_id = row.task_id;
  outcome.resolved = row.resolved;
  outcome.reward = row.reward;
  outcome.line = row.line;
  outcome.scope = std::move(scope);
  outcome.source = row.file.empty() ? file : row.file;
  return outcome;
}

}  // namespace memuse::workflow
