#include "store/reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "store/damage.h"
#include "store/episode_reader.h"

namespace memuse::store {
namespace {

// Unused terms are known when a statement is made, so each filter gets the index that fits it.
std::string filter_sql(const EpisodeFilter& filter) {
  std::string sql = "WHERE true";
  if (filter.configuration) sql += " AND e.configuration = ?1";
  if (filter.run) sql += " AND e.run = ?2";
  if (filter.episode) sql += " AND (e.episode = ?3 OR e.uid = ?3)";
  return sql;
}

/// Binds only the parameters that the statement has.
void bind_filter(Statement& statement, const EpisodeFilter& filter) {
  if (filter.episode) {
    statement.bind(filter.configuration, filter.run, filter.episode);
  } else if (filter.run) {
    statement.bind(filter.configuration, filter.run);
  } else if (filter.configuration) {
    statement.bind(filter.configuration);
  } else {
    statement.bind();
  }
}

Statement episodes(const Connection& connection, const EpisodeFilter& filter) {
  Statement rows(connection, fmt::format("SELECT e.id, {} FROM episode AS e {} ORDER BY {}", kEpisodeColumns,
                                         filter_sql(filter), kEpisodeOrder));
  bind_filter(rows, filter);
  return rows;
}

/// Row ids in order: eight bytes an episode, so that no wide rows are sorted when an index is missing.
std::vector<std::int64_t> episode_ids(const Connection& connection, const EpisodeFilter& filter) {
  Statement rows(connection,
                 fmt::format("SELECT e.id FROM episode AS e {} ORDER BY {}", filter_sql(filter), kEpisodeOrder));
  bind_filter(rows, filter);
  std::vector<std::int64_t> ids;
  while (rows.step()) ids.push_back(rows.integer(0));
  return ids;
}

Fault fault_named(std::string_view text) {
  for (unsigned value = 0; value <= std::numeric_limits<std::uint8_t>::max(); ++value) {
    if (fault_name(static_cast<Fault>(value)) == text) return static_cast<Fault>(value);
  }
  throw damaged(fmt::format("unknown fault \"{}\"", text));
}

Severity severity_named(std::string_view text) {
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    if (severity_name(severity) == text) return severity;
  }
  throw damaged(fmt::format("unknown severity \"{}\"", text));
}

}  // namespace

void for_each_episode(const Database& database, const EpisodeFilter& filter, std::optional<std::int64_t> judgement_set,
                      const std::function<bool(const EpisodeSpansRecord&)>& callback) {
  const Connection& connection = database.connection();
  const ReadSnapshot snapshot(database);
  Statement episode(connection, fmt::format("SELECT {} FROM episode AS e WHERE e.id = ?", kEpisodeColumns));
  SpanReader spans(connection, judgement_set);
  EpisodeSpansRecord record;
  for (const std::int64_t id : episode_ids(connection, filter)) {
    if (!episode.bind(id).step()) continue;  // deleted by the callback
    record.episode = episode_record(episode, 0);
    episode.reset();
    spans.read(id, record);
    if (!callback(record)) return;
  }
}

std::vector<EpisodeRecord> find_episodes(const Database& database, const EpisodeFilter& filter) {
  Statement rows = episodes(database.connection(), filter);
  std::vector<EpisodeRecord> found;
  while (rows.step()) found.push_back(episode_record(rows, 1));
  return found;
}

std::vector<RunRecord> runs(const Database& database) {
  Statement rows(database.connection(),
                 "SELECT configuration, run, count(*) FROM episode GROUP BY configuration, run"
                 " ORDER BY configuration, run");
  std::vector<RunRecord> found;
  while (rows.step()) found.push_back({rows.text(0), rows.text(1), rows.count(2)});
  return found;
}

void for_each_source(const Database& database,
                     const std::function<void(const std::string& path, const RunRecord& run)>& callback) {
  Statement rows(
      database.connection(),
      "SELECT source_path, configuration, run, count(*) FROM episode GROUP BY source_path, configuration, run"
      " ORDER BY source_path, configuration, run");
  while (rows.step()) callback(rows.text(0), {rows.text(1), rows.text(2), rows.count(3)});
}

std::vector<IngestRecord> ingests(const Database& database) {
  Statement rows(database.connection(),
                 "SELECT program_version, rule_set, finished, added, known, replaced FROM ingest ORDER BY id");
  std::vector<IngestRecord> found;
  while (rows.step()) {
    found.push_back({rows.text(0), rows.text(1), rows.boolean(2), rows.count(3), rows.count(4), rows.count(5)});
  }
  return found;
}

std::vector<Diagnostic> diagnostics(const Database& database) {
  Statement rows(database.connection(), "SELECT file, line, byte, severity, fault, detail, count FROM diagnostic");
  std::vector<Diagnostic> found;
  while (rows.step()) {
    found.push_back({rows.text(0), rows.count(1), rows.count(2), severity_named(rows.text(3)),
                     fault_named(rows.text(4)), rows.text(5), rows.count(6)});
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace memuse::store
