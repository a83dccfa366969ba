#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/diagnostic.h"
#include "model/episode.h"
#include "report/table.h"
#include "value_tracing/memory_probe.h"
#include "value_tracing/value_tally.h"
#include "value_tracing/value_trace.h"

// Tables, rows and the readable view of value tracing (docs/value-tracing.md, docs/memory-probes.md).

namespace memuse::report {

/// Where an episode belongs, for rows.
struct EpisodePlace {
  std::string configuration, run, episode, task_id;
  std::optional<std::uint64_t> position;
  value_tracing::Setting setting;
  std::optional<bool> resolved;
  std::string file;  ///< trace, and line of the episode in it
  std::uint64_t line = 0;
};
[[nodiscard]] EpisodePlace episode_place(const Episode& episode);
/// Order of rows: configuration, run, position (episodes without one last), episode, file, line.
[[nodiscard]] bool row_before(const EpisodePlace& a, const EpisodePlace& b);

/// What value tracing came to.
struct ValueReport {
  value_tracing::ValueTally tally;
  std::uint64_t episodes = 0;       ///< read
  std::uint64_t independent = 0;    ///< of these: not dependent, or without a probe
  std::uint64_t without_gold = 0;   ///< of these: dependent, but no gold values were given
  std::uint64_t digit_shifted = 0;  ///< episodes in which MERIT's damaged values were looked for
  std::vector<std::pair<EpisodePlace, value_tracing::EpisodeTrace>> traced;  ///< sorted; when rows are wanted
  std::vector<Diagnostic> diagnostics;
  bool interrupted = false;
};

/// Names of the tables: `held`, `carried`, `use`, `leaks`, `flag`.
[[nodiscard]] const std::vector<std::string>& value_table_names();
/// All, but without `flag` when no episode has a recorded flag.
[[nodiscard]] std::vector<std::string> default_value_tables(const ValueReport& report);
/// The table of that name, a row per setting; dimensions in which all settings agree are named in the caption alone.
/// `flat`: for programs; every dimension and every count is a column, success in columns of its own.
[[nodiscard]] Table value_table(const ValueReport& report, const std::string& name, bool flat = false);
/// All of them, for programs.
[[nodiscard]] nlohmann::ordered_json values_json(const ValueReport& report);

/// One row for each gold value of each traced episode.
[[nodiscard]] const std::vector<std::string>& value_row_columns();
[[nodiscard]] std::vector<nlohmann::ordered_json> value_rows(const EpisodePlace& place,
                                                             const value_tracing::EpisodeTrace& trace);

/// The readable view of one episode: every gold value with the lines that decide on it.
[[nodiscard]] std::string explain_values_text(const Episode& episode, const value_tracing::EpisodeTrace& trace,
                                              const TableStyle& style);

/// What memory probes came to.
struct MemoryProbeReport {
  std::map<std::pair<value_tracing::Setting, value_tracing::MemoryProbeKind>, value_tracing::ProbeCounts> tally;
  std::uint64_t episodes = 0;   ///< read
  std::uint64_t declared = 0;   ///< usable probes of the file
  std::uint64_t unmatched = 0;  ///< of these: no episode of the runs fits
  struct Row {
    EpisodePlace place;
    value_tracing::MemoryProbe probe;
    value_tracing::ScoredProbe scored;
  };
  std::vector<Row> scored;  ///< sorted; when rows are wanted
  std::vector<Diagnostic> diagnostics;
  bool interrupted = false;
};

/// `flat`: for programs; every dimension of the setting is a column.
[[nodiscard]] Table memory_probe_table(const MemoryProbeReport& report, bool flat = false);
[[nodiscard]] nlohmann::ordered_json memory_probes_json(const MemoryProbeReport& report);
[[nodiscard]] const std::vector<std::string>& memory_probe_row_columns();
[[nodiscard]] nlohmann::ordered_json memory_probe_row(const MemoryProbeReport::Row& row);
[[nodiscard]] std::string explain_memory_probes_text(
    const Episode& episode,
    const std::vector<std::pair<value_tracing::MemoryProbe, value_tracing::ScoredProbe>>& probes,
    const TableStyle& style);

}  // namespace memuse::report
