#include "store/outcomes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "store/settle.h"

namespace memuse::store {
namespace {

/// Replaces what was said of these tasks in these scopes; of two rows for one task the later counts.
void store_outcomes(const Connection& connection, const std::vector<ScopedOutcome>& outcomes) {
  Statement remove(connection,
                   "DELETE FROM outcome WHERE task_id = ? AND configuration IS ? AND run IS ? AND found = ?");
  Statement insert(connection,
                   "INSERT INTO outcome (task_id, configuration, run, resolved, reward, source, line, found)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const ScopedOutcome& outcome : outcomes) {
    const OutcomeScope& scope = outcome.scope;
    remove.run(outcome.task_id, scope.configuration, scope.run, outcome.found);
    insert.run(outcome.task_id, scope.configuration, scope.run, outcome.resolved, outcome.reward, outcome.source,
               outcome.line, outcome.found);
  }
}

}  // namespace

std::vector<Diagnostic> set_outcomes(Database& database, const std::vector<ScopedOutcome>& outcomes) {
  const Connection& connection = database.connection();
  Transaction transaction(connection, Transaction::Kind::write);
  store_outcomes(connection, outcomes);
  std::vector<Diagnostic> diagnostics = settle(connection);
  transaction.commit();
  std::set<std::string_view> sources;
  for (const ScopedOutcome& outcome : outcomes) sources.insert(outcome.source);
  const auto of_other_files = [&sources](const Diagnostic& diagnostic) { return !sources.contains(diagnostic.file); };
  diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(), of_other_files), diagnostics.end());
  return diagnostics;
}

std::vector<Diagnostic> set_outcomes(Database& database, const std::vector<TaskOutcome>& outcomes,
                                     const OutcomeScope& scope, const std::string& source) {
  std::vector<ScopedOutcome> rows;
  for (const TaskOutcome& outcome : outcomes) rows.push_back({outcome, scope, source, false});
  return set_outcomes(database, rows);
}

}  // namespace memuse::store
