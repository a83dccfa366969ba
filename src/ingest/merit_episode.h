#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingest/adapter.h"
#include "ingest/diagnostic_log.h"
#include "ingest/episode_recorder.h"
#include "ingest/merit_records.h"
#include "ingest/merit_transcript.h"

// What a row and a trace of MERIT make of an episode.

namespace memuse::ingest {

/// Where a line lies in its file.
struct LinePlace {
  std::uint64_t line = 0;  ///< 1-based
  std::uint64_t byte_begin = 0;
  std::uint64_t byte_end = 0;
  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

/// What decides about an episode but stands in other lines of its cell. It goes into `SourcePlace::format_version`, so
/// that the episode can be read again without them: `1 transcript=5@2010-4020 block=812/c0-message position=5 copy=2`.
struct MeritContext {
  std::optional<LinePlace> transcript;    ///< the trace of a row
  std::optional<BlockEnd> block;          ///< of an episode with a transcript that has a known end of its block
  std::optional<std::uint64_t> position;  ///< of the task in its run
  std::uint64_t copy = 1;                 ///< 2 for the second episode of this id in its run
  friend bool operator==(const MeritContext&, const MeritContext&) = default;
};

/// Version of the format as this program numbers it; MERIT's files carry none.
inline constexpr std::string_view kMeritVersion = "1";
std::string to_version(const MeritContext& context);
/// Nothing when the text is none of `to_version`.
std::optional<MeritContext> parse_version(std::string_view version);

/// Names that a cell and the user give.
struct MeritNames {
  std::string cell;  ///< name of the run directory
  const ReadOptions& options;
};

/// A row and a trace of one episode, at least one of them, each with its place and the log of its file.
struct MeritParts {
  std::optional<MeritRow> row;
  std::optional<MeritTrace> trace;
  RecordPlace row_place;
  RecordPlace trace_place;
};

/// `<model>/<condition>`, with `/<mode>@<rate>` when the memory was damaged on purpose; `<model>/<condition>/unscored`
/// without a row. The user's name stands in place of the model where the data has none, or when names replace. A name
/// that ends like the one that it would become is taken whole: so a stored episode keeps its names when read again.
std::string merit_configuration(const MeritParts& parts, const MeritNames& names);
/// `<cell>/<seed>`, the cell alone when no seed is known; the user's name stands in place of the cell.
std::string merit_run(const MeritParts& parts, const MeritNames& names);
/// The memory system's name as a trace has it, else the condition.
std::string_view merit_memory(const MeritParts& parts);

/// Fills the recorder's episode; `source` is left alone. The parts' texts must live in the recorder's arena.
void record_merit_episode(const MeritParts& parts, const MeritContext& context, const MeritNames& names,
                          EpisodeRecorder& recorder, DiagnosticLog& row_log, DiagnosticLog& trace_log);

}  // namespace memuse::ingest
