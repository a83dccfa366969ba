#pragma once

#include <string>

#include "ingest/adapter.h"

// Reads the records of a MERIT cell and joins them.

namespace memuse::ingest {

/// Name of the run directory that a path stands for: that of the folder, of the folder around `results.jsonl` or
/// `traces/episodes.jsonl`, or of the file without `.results.jsonl`, `.episodes.jsonl` or its extension. The same for
/// relative and absolute paths; links are not followed.
std::string merit_cell_name(const std::string& path);

/// The two files of a cell.
std::string merit_results_path(const std::string& folder);
std::string merit_traces_path(const std::string& folder);

/// Reads a folder: one episode for every row of `results.jsonl` in its order, joined with its trace, then one for every
/// trace without a row. The traces are passed over once before, for their places and the users' first messages; memory
/// holds these and one episode. Faults go to `log` under the file that they are in. Throws ReadFault.
void read_merit_folder(const std::string& folder, const ReadOptions& options, const EpisodeSink& sink,
                       DiagnosticLog& log);

/// Reads rows or traces of one file, each as an episode of its own.
void read_merit_file(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
                     const EpisodeSink& sink, DiagnosticLog& log);

/// Reads one episode at a place that one of the functions above gave to it: its own lines and nothing else.
void read_merit_place(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                      DiagnosticLog& log);

}  // namespace memuse::ingest
