#include "store/outcomes.h"

#include <algorithm>

#include "model/text.h"
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

std::vector<Diagnostic> unmatched(const Connection& connection, const std::vector<TaskOutcome>& outcomes,
                                  const OutcomeScope& scope, const std::string& source) {
  Statement find(connection,
                 "SELECT 1 FROM episode WHERE task_id = ?1 AND (?2 IS NULL OR configuration = ?2)"
                 " AND (?3 IS NULL OR run = ?3) LIMIT 1");
  std::vector<Diagnostic> found;
  for (const TaskOutcome& outcome : outcomes) {
    if (find.bind(outcome.task_id, scope.configuration, scope.run).step()) continue;
    found.push_back({source, outcome.line, 0, Severity::warning, Fault::unmatched_outcome,
                     "task " + printable(outcome.task_id), 1});
  }
  return found;
}

}  // namespace

std::vector<Diagnostic> set_outcomes(Database& database, const std::vector<TaskOutcome>& outcomes,
                                     const OutcomeScope& scope, const std::string& source) {
  const Connection& connection = database.connection();
  Transaction transaction(connection, Transaction::Kind::write);
  Statement(connection, "DELETE FROM diagnostic WHERE file = ?").run(source);
  store_outcomes(connection, outcomes, scope, source);
  std::vector<Diagnostic> diagnostics = settle(connection);
  const std::vector<Diagnostic> missing = unmatched(connection, outcomes, scope, source);
  diagnostics.insert(diagnostics.end(), missing.begin(), missing.end());
  std::sort(diagnostics.begin(), diagnostics.end());
  Statement store = diagnostic_statement(connection);
  for (const Diagnostic& diagnostic : diagnostics) store_diagnostic(store, diagnostic, std::nullopt);
  transaction.commit();
  return diagnostics;
}

}  // namespace memuse::store
