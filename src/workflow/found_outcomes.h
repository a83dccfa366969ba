#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/task_files.h"
#include "model/diagnostic.h"
#include "store/outcomes.h"

namespace memuse::workflow {

/// Gives evaluation reports that lie beside traces to the run that they speak of. Going up from a report, the first
/// folder with episodes decides: when these are all of one run, the report is that run's. When they are of several runs
/// nobody knows whose it is; then it is not used, which a diagnostic says. Nothing above the folder that holds all the
/// inputs is looked at.
class FoundOutcomes {
 public:
  /// `inputs`: the files and folders that the user named.
  explicit FoundOutcomes(const std::vector<std::string>& inputs);

  void add_report(const std::string& path, std::vector<ingest::OutcomeRow> rows);
  [[nodiscard]] bool empty() const { return reports_.empty(); }

  /// Says that a source file holds episodes of this run. Any order.
  void add_source(const std::string& path, const std::string& configuration, const std::string& run);

  /// The one place that holds every report of a run: a report, or a folder in which all reports are of that run.
  /// Empty when there is none.
  [[nodiscard]] std::string reports_of(const std::string& configuration, const std::string& run) const;

  /// The outcomes of the runs, sorted. Reports of one run that disagree on a task cancel each other.
  [[nodiscard]] std::vector<store::ScopedOutcome> join(std::vector<Diagnostic>& diagnostics) const;

 private:
  using Run = std::pair<std::string, std::string>;  // configuration, run
  struct Folder {
    Run run;
    bool several = false;
  };
  /// The folder that decides about a report, and its runs.
  [[nodiscard]] const Folder* deciding_folder(const std::string& path) const;

  std::string top_;  // of all inputs
  std::map<std::string, std::vector<ingest::OutcomeRow>> reports_;
  std::map<std::string, Folder> folders_;
};

}  // namespace memuse::workflow
