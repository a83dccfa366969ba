#include "store/outcomes.h"

#include <algorithm>

#include "store/settle.h"

namespace memuse::store {
namespace {

/// Replaces the rows of this scope for the tasks of `outcomes`; of two rows for one task the later counts.
void store_outcomes(const Connection& connection, const std::vector<TaskOutcome>& outcomes, const OutcomeScope& scope,
                    const std::string& source) {
  Statement remove(connection, "DELETE FROM outcome WHERE task_id = ? AND configuration IS ? AND run IS ?");
  Statement insert(connection,
                   "INSERT INTO outcome (task_id, configuration, run, resolved, reward, source, line)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const TaskOutcome& outcome : outcomes) {
    remove.run(outcome.task_id, scope.configuration, scope.run);
    insert.run(outcome.task_id, scope.configuration, scope.run, outcome.resolved, outcome.reward, source, outcome.line);
  }
}

}  // namespace

std::vector<Diagnostic> set_outcomes(Database& database, const std::vector<TaskOutcome>& outcomes,
                                     const OutcomeScope& scope, const std::string& source) {
  const Connection& connection = database.connection();
  Transaction transaction(connection, Transaction::Kind::write);
  store_outcomes(connection, outcomes, scope, source);
  std::vector<Diagnostic> diagnostics = settle(connection);
  transaction.commit();
  const auto of_other_files = [&source](const Diagnostic& diagnostic) { return diagnostic.file != source; };
  diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(), of_other_files), diagnostics.end());
  return diagnostics;
}

}  // namespace memuse::store
