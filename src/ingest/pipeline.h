#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/adapter.h"
#include "ingest/inputs.h"
#include "ingest/task_files.h"

namespace memuse::ingest {

/// How to read a list of inputs.
struct PipelineOptions {
  ReadOptions read;
  std::string format = "auto";  ///< an adapter's name, or `auto`
  unsigned jobs = 0;            ///< threads; 0 for as many as there are cores
  /// Set from outside to stop after the episodes in flight.
  const std::atomic<bool>* stop = nullptr;
  /// Gives the one who takes what is set aside of the input at that place of the list; may be empty. Called from any of
  /// the threads, as is what it returns (never two at a time for one input).
  std::function<SetAsideSink(std::size_t input)> set_aside = nullptr;
};

/// Name in `FileReport::format` of an evaluation report, which holds outcomes and no episodes.
inline constexpr std::string_view kReportFormat = "swe-bench-report";

/// Name in `FileReport::format` of an archive, whose members have reports of their own.
inline constexpr std::string_view kArchiveFormat = "archive";

/// What one file came to.
struct FileReport {
  std::size_t input = 0;  ///< its place in the list of inputs; of a member that of its archive
  std::string path;       ///< of a member: `archive!/path`
  std::string format;     ///< adapter name; empty when no adapter knew it
  std::string format_version;
  std::uint64_t bytes = 0;  ///< size on disk
  std::uint64_t episodes = 0;
  std::set<std::pair<std::string, std::string>> runs;  ///< configuration and run of its episodes
  std::shared_ptr<const RunNaming> naming;             ///< what the manifest says of it
  std::uint64_t unplaced = 0;                          ///< episodes whose task the manifest's order does not name
  std::vector<OutcomeRow> outcomes;                    ///< when it is an evaluation report
  RecordCounts records;                                ///< what became of its records
  std::vector<Diagnostic> diagnostics;
};

/// Called once for each file when it has been read to its end, from any of the threads.
using FileSink = std::function<void(FileReport&&)>;

/// Reads all inputs, in parallel over files, over the blocks of large files of JSON Lines and over the episodes of one
/// file; `sink` gets each episode from any of the threads and may block to push back (with one job: from the calling
/// thread, in the order of inputs and of episodes in them). A file that cannot be read, or that no adapter knows,
/// becomes a diagnostic of its report and never stops the rest. Throws Error(usage) for an unknown format name.
/// Exceptions of `sink` stop the reading and are thrown on. Members of archives are files like others, with the paths
/// that ingest/unpacked_archive.h explains.
void read_inputs(const std::vector<Input>& inputs, const PipelineOptions& options, const EpisodeSink& sink,
                 const FileSink& file_sink);

}  // namespace memuse::ingest
