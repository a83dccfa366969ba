#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/diagnostic_log.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"

// The two kinds of records of a MERIT cell: rows of `results.jsonl` and traces of `traces/episodes.jsonl`. Views live
// as long as the arena that the record was parsed into.

namespace memuse::ingest {

/// What a record says that both kinds have.
struct MeritCommon {
  std::string_view episode_id;
  std::string_view task_id;
  std::string_view model;  ///< empty when not recorded
  std::optional<std::uint64_t> prompt_tokens;
  std::optional<std::uint64_t> completion_tokens;
  std::optional<double> wall_seconds;
};

/// One scored episode.
struct MeritRow : MeritCommon {
  std::string_view seed;  ///< as written; empty when not recorded
  std::string_view condition;
  std::string_view domain;
  std::string_view difficulty;
  std::string_view corrupt_mode;  ///< empty for `none`
  std::string_view corrupt_rate;  ///< as written; empty for `none`
  std::optional<double> rate;
  std::string_view arc_id;
  std::optional<std::uint64_t> episode_index;
  std::string_view kind;
  std::optional<bool> dependent, success, pre_satisfied, memory_had_fact, memory_utilized;
  std::optional<double> cost_usd;
  std::optional<std::uint64_t> memory_tokens;
  std::optional<double> memory_cost_usd;
};

struct MeritCall {
  std::string_view name;
  std::string_view arguments;  ///< JSON
  std::string_view out;
  std::string line;  ///< its line in the transcript
};

/// One episode with its transcript.
struct MeritTrace : MeritCommon {
  std::string_view memory;
  std::vector<MeritCall> calls;
  std::string_view transcript;
};

enum class MeritKind : std::uint8_t { row, trace };
/// Which of the two a record is; nothing when it is neither.
std::optional<MeritKind> merit_kind(const JsonValue& record);

/// Reads a row; nothing, with the reason in the log, when it lacks its id, its task or its condition.
std::optional<MeritRow> read_merit_row(const JsonValue& record, RecordPlace place, DiagnosticLog& log);
/// Reads a trace; nothing, with the reason in the log, when it lacks its id, its task or its transcript. Texts that the
/// record does not hold as they are go into `arena`.
std::optional<MeritTrace> read_merit_trace(const JsonValue& record, RecordPlace place, Arena& arena,
                                           DiagnosticLog& log);

/// The parts of a name `<arc_id>-e<episode_index>-<role>-<what>`, with arc_id `[<domain>-]arc<seed>-<number>`. Parts
/// that the name does not have are empty.
struct MeritTaskName {
  std::string_view arc_id;
  std::string_view episode_index;
  std::string_view seed;
};
MeritTaskName read_task_name(std::string_view task_id);

}  // namespace memuse::ingest
