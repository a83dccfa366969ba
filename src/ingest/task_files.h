#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/diagnostic.h"
#include "model/episode.h"

namespace memuse::ingest {

/// What a row of a task file speaks of: a task, in one configuration and run, or wherever these are not given.
struct TaskScope {
  std::string task_id;
  std::string configuration;  ///< empty: any
  std::string run;            ///< empty: any
  std::uint64_t line = 0;     ///< 1-based line in its file
  std::string file;           ///< the file, when it is not the one that was asked for (a report in a folder)
};

/// The result of a task from a file of outcomes.
struct OutcomeRow : TaskScope {
  std::optional<bool> resolved;  ///< nothing when unknown
  std::optional<double> reward;
};

/// What a checked task was made to show, from a file of probes; fields as in `Probe`.
struct ProbeRow : TaskScope {
  struct Corruption {
    std::string mode;
    std::optional<double> rate;
  };
  std::optional<bool> dependent;
  std::vector<std::string> gold;
  std::vector<std::string> stale;
  std::optional<bool> pre_satisfied;
  std::optional<bool> memory_had_fact;
  std::optional<bool> memory_utilized;
  std::optional<Corruption> corruption;
};

/// Rows of a task file, at most one for each scope.
template <typename Row>
struct TaskTable {
  std::vector<Row> rows;  ///< sorted by task id, configuration, run

  /// The most specific row that speaks of this task here: one that names configuration and run, else configuration,
  /// else run, else neither; null if there is none.
  [[nodiscard]] const Row* find(std::string_view task_id, std::string_view configuration, std::string_view run) const {
    for (const auto& [wanted_configuration, wanted_run] :
         {std::pair(configuration, run), std::pair(configuration, std::string_view()),
          std::pair(std::string_view(), run), std::pair(std::string_view(), std::string_view())}) {
      const auto wanted = std::tuple(task_id, wanted_configuration, wanted_run);
      const auto found = std::lower_bound(rows.begin(), rows.end(), wanted,
                                          [](const Row& row, const auto& key) { return scope(row) < key; });
      if (found != rows.end() && scope(*found) == wanted) return &*found;
    }
    return nullptr;
  }

  [[nodiscard]] static std::tuple<std::string_view, std::string_view, std::string_view> scope(const Row& row) {
    return {row.task_id, row.configuration, row.run};
  }
};

using OutcomeTable = TaskTable<OutcomeRow>;
using ProbeTable = TaskTable<ProbeRow>;

/// Reads a file of outcomes (schemas/outcomes-1.schema.json): CSV with the columns `task_id`, `resolved`, `reward`,
/// `configuration`, `run` in any order, or JSON (a list of rows, rows one a line, or an object from task id to
/// `resolved` or row), told apart by content; or an evaluation report of SWE-bench, or a folder of them. Rows that
/// cannot be used become diagnostics with their line and never stop the rest; of two rows for the same scope the last
/// one counts, with a warning. Throws Error(usage) when the file cannot be read or has none of these forms.
OutcomeTable read_outcomes(const std::string& path, std::vector<Diagnostic>& diagnostics);

/// Reads a file of probes (schemas/probes-1.schema.json): JSON Lines, a list, or an object from task id to probe.
/// Faults as in `read_outcomes`.
ProbeTable read_probes(const std::string& path, std::vector<Diagnostic>& diagnostics);

/// Gives `episode` what the table says of its task: fields that the row has replace those of the trace. False when no
/// row speaks of it.
bool apply_probes(Episode& episode, const ProbeTable& probes);

}  // namespace memuse::ingest
