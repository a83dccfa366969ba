#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/inputs.h"
#include "ingest/manifest.h"
#include "ingest/task_files.h"
#include "model/diagnostic.h"
#include "store/outcomes.h"

namespace memuse::workflow {

/// An outcome as it goes into the database. `file` is where it stands, unless the row knows better.
store::ScopedOutcome scoped_outcome(const ingest::OutcomeRow& row, store::OutcomeScope scope, const std::string& file);

/// What a row of a manifest led to.
struct NamedRuns {
  std::set<std::pair<std::string, std::string>> runs;  ///< configuration and run of its episodes
  std::uint64_t unplaced = 0;                          ///< episodes whose task its order does not name
};
using RunsByNaming = std::map<const ingest::RunNaming*, NamedRuns>;

/// Outcomes by task; of several rows that speak of an episode the most specific counts, of equal ones the last. Rows
/// that do not say whether the task was resolved are left out.
class OutcomesByTask {
 public:
  explicit OutcomesByTask(std::vector<store::ScopedOutcome> rows);
  /// Null when no row speaks of the episode.
  [[nodiscard]] const store::ScopedOutcome* find(std::string_view task, std::string_view configuration,
                                                 std::string_view run) const;

 private:
  std::map<std::string, std::vector<store::ScopedOutcome>, std::less<>> by_task_;
};

/// What is to be read and how a study calls it, with the outcomes that the user named. All files that say so are read
/// here, before any trace, so that a mistake in them costs no time.
class StudyPlan {
 public:
  /// Empty strings for what was not given. Throws Error(usage) for files that cannot be followed.
  StudyPlan(const std::vector<std::string>& traces, const std::string& manifest, const std::string& outcomes,
            std::vector<Diagnostic>& diagnostics);

  [[nodiscard]] const std::vector<ingest::NamedPath>& paths() const { return paths_; }
  [[nodiscard]] std::vector<std::string> path_names() const;
  /// Of the configurations of which the manifest says whether they are the baseline.
  [[nodiscard]] std::map<std::string, bool> baselines() const;
  /// All outcomes that the user named. Those of the manifest hold in the runs that their row led to.
  [[nodiscard]] std::vector<store::ScopedOutcome> named_outcomes(const RunsByNaming& named) const;
  /// The manifest has outcomes, so that `named_outcomes` needs to know which runs its rows led to.
  [[nodiscard]] bool has_outcomes_of_rows() const;
  /// Order files that leave episodes of their row without a place.
  [[nodiscard]] std::vector<Diagnostic> incomplete_orders(const RunsByNaming& named) const;

 private:
  struct NamedRow {
    ingest::ManifestRow row;
    std::shared_ptr<const ingest::RunNaming> naming;
    ingest::OutcomeTable outcomes;
  };
  std::string outcomes_file_;
  ingest::OutcomeTable outcomes_;
  std::vector<ingest::NamedPath> paths_;
  std::vector<NamedRow> rows_;
};

}  // namespace memuse::workflow
