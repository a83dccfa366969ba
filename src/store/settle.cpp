#include "store/settle.h"

#include <fmt/format.h>
#include <algorithm>

#include "model/text.h"

namespace memuse::store {
namespace {

// In all of these, `o` is a row of an outcomes file that applies to the episode `e`.
constexpr std::string_view kApplies =
    "o.task_id = e.task_id AND (o.configuration IS NULL OR o.configuration = e.configuration)"
    " AND (o.run IS NULL OR o.run = e.run)";
constexpr std::string_view kMostSpecificFirst =
    "ORDER BY o.found, o.configuration IS NULL, o.run IS NULL, o.rowid DESC LIMIT 1";

/// The effective outcome of every episode that an outcomes file speaks of.
std::string outcome_sql() {
  const auto from_file = [](std::string_view column) {
    return fmt::format("(SELECT o.{0} FROM outcome AS o WHERE {1} AND o.{0} IS NOT NULL {2})", column, kApplies,
                       kMostSpecificFirst);
  };
  return fmt::format(
      "WITH effective AS MATERIALIZED ("
      " SELECT e.id AS id, coalesce({}, e.trace_resolved) AS resolved, coalesce({}, e.trace_reward) AS reward,"
      "  coalesce((SELECT o.source FROM outcome AS o WHERE {} AND (o.resolved IS NOT NULL OR o.reward IS NOT NULL) {}),"
      "   e.trace_outcome_source) AS source"
      " FROM episode AS e WHERE e.task_id IN (SELECT task_id FROM outcome))"
      "UPDATE episode SET resolved = effective.resolved, reward = effective.reward, outcome_source = effective.source"
      " FROM effective WHERE effective.id = episode.id AND (episode.resolved IS NOT effective.resolved"
      "  OR episode.reward IS NOT effective.reward OR episode.outcome_source <> effective.source)",
      from_file("resolved"), from_file("reward"), kApplies, kMostSpecificFirst);
}

constexpr std::string_view kFinalisedSql =
    "UPDATE episode SET finalised = NOT finalised WHERE finalised <>"
    " (end_reason IS NOT NULL OR resolved IS NOT NULL OR reward IS NOT NULL)";

// An episode without a task id is an attempt at nothing that another one attempts.
constexpr std::string_view kRetainedSql =
    "WITH ranked AS MATERIALIZED ("
    " SELECT id, row_number() OVER ("
    "   PARTITION BY configuration, run, task_id, CASE task_id WHEN '' THEN uid END"
    "   ORDER BY finalised DESC, last_time_us DESC NULLS LAST, episode DESC, uid DESC) = 1 AS retained"
    " FROM episode)"
    "UPDATE episode SET retained = ranked.retained FROM ranked"
    " WHERE ranked.id = episode.id AND episode.retained <> ranked.retained";

/// One per outcomes row that disagrees with traces.
void add_conflicts(const Connection& connection, std::vector<Diagnostic>& found) {
  Statement rows(connection, fmt::format("SELECT o.source, o.line, o.task_id, count(*), min(e.episode)"
                                         " FROM outcome AS o JOIN episode AS e ON {}"
                                         " WHERE o.resolved <> e.trace_resolved OR o.reward <> e.trace_reward"
                                         " GROUP BY o.rowid",
                                         kApplies));
  while (rows.step()) {
    found.push_back({rows.text(0), rows.count(1), 0, Severity::warning, Fault::outcome_conflict,
                     fmt::format("task {}, first in episode {}", printable(rows.text(2)), printable(rows.text(4))),
                     rows.count(3)});
  }
}

/// One per outcomes row that no episode belongs to.
void add_unmatched(const Connection& connection, std::vector<Diagnostic>& found) {
  Statement rows(connection, fmt::format("SELECT o.source, o.line, o.task_id FROM outcome AS o"
                                         " WHERE NOT o.found AND NOT EXISTS (SELECT 1 FROM episode AS e WHERE {})",
                                         kApplies));
  while (rows.step()) {
    found.push_back({rows.text(0), rows.count(1), 0, Severity::warning, Fault::unmatched_outcome,
                     "task " + printable(rows.text(2)), 1});
  }
}

/// Outcomes rows and traces side by side, instead of what was said of them before.
std::vector<Diagnostic> renew_outcome_diagnostics(const Connection& connection) {
  std::vector<Diagnostic> found;
  add_conflicts(connection, found);
  add_unmatched(connection, found);
  std::sort(found.begin(), found.end());
  Statement(connection, "DELETE FROM diagnostic WHERE fault IN (?, ?)")
      .run(fault_name(Fault::outcome_conflict), fault_name(Fault::unmatched_outcome));
  Statement store = diagnostic_statement(connection);
  for (const Diagnostic& diagnostic : found) store_diagnostic(store, diagnostic, std::nullopt);
  return found;
}

}  // namespace

std::vector<Diagnostic> settle(const Connection& connection) {
  connection.execute(outcome_sql());
  connection.execute(std::string(kFinalisedSql));
  connection.execute(std::string(kRetainedSql));
  return renew_outcome_diagnostics(connection);
}

Statement diagnostic_statement(const Connection& connection) {
  return {connection,
          "INSERT INTO diagnostic (file, line, byte, severity, fault, detail, count, ingest_id)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
          " ON CONFLICT DO UPDATE SET ingest_id = excluded.ingest_id, count = excluded.count +"
          " CASE WHEN ingest_id = excluded.ingest_id THEN count ELSE 0 END"};
}

void store_diagnostic(Statement& statement, const Diagnostic& diagnostic, std::optional<std::int64_t> ingest_id) {
  statement.run(diagnostic.file, diagnostic.line, diagnostic.byte, severity_name(diagnostic.severity),
                fault_name(diagnostic.fault), diagnostic.detail, diagnostic.count, ingest_id);
}

}  // namespace memuse::store
