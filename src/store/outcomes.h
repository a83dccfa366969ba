#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "store/database.h"

namespace memuse::store {

/// One row of an outcomes file.
struct TaskOutcome {
  std::string task_id;
  std::optional<bool> resolved;
  std::optional<double> reward;
  std::uint64_t line = 0;  ///< in the file, for messages
};

/// The episodes that an outcomes file speaks of; an empty field means all.
struct OutcomeScope {
  std::optional<std::string> configuration;
  std::optional<std::string> run;
};

/// One row with where it holds and where it comes from.
struct ScopedOutcome : TaskOutcome {
  OutcomeScope scope;
  std::string source;  ///< the file's name
  /// A report that was found beside the traces. Rows of a file that the user named win over it.
  bool found = false;
};

/// Stores outcomes and applies them to the episodes that are there and to those that come later. They win over the
/// trace's own outcome, field by field, and a new file for the same scope and task over an older one. Returns, sorted,
/// where these files disagree with traces (`outcome_conflict`) and name tasks without an episode (`unmatched_outcome`);
/// both are stored as well, and renewed by later ingests.
std::vector<Diagnostic> set_outcomes(Database& database, const std::vector<ScopedOutcome>& outcomes);

/// The same for the rows of one file, `source`, that hold in one scope.
std::vector<Diagnostic> set_outcomes(Database& database, const std::vector<TaskOutcome>& outcomes,
                                     const OutcomeScope& scope, const std::string& source);

}  // namespace memuse::store
