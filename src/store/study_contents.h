#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"

// What a study is made of, with hashes of the contents: for the manifest beside an output (docs/output-manifest.md).

namespace memuse::store {

/// A source file, with the episodes that were read from it.
struct SourceFileRecord {
  std::string path, format, format_version;
  std::uint64_t episodes = 0;  ///< retained or not
  /// Of the episode's bytes; of a file with several episodes over their hashes in hex, in order of place, a line each.
  std::string sha256;
};

/// Some rows of the database: how many, and a hash over their contents.
struct ContentDigest {
  std::uint64_t rows = 0;
  std::string sha256;
};

/// Outcomes from one source: a file that was named, or a report that was found beside the traces.
struct OutcomeSourceRecord {
  std::string source;
  bool found = false;
  ContentDigest content;
};

struct StudyRunRecord {
  std::string configuration, run;
  std::uint64_t episodes = 0, retained = 0;
};

/// By path, format and version.
[[nodiscard]] std::vector<SourceFileRecord> source_files(const Database& database);
/// By source; named files before found reports.
[[nodiscard]] std::vector<OutcomeSourceRecord> outcome_sources(const Database& database);
/// Episodes with a probe, whether from the trace or from a file.
[[nodiscard]] ContentDigest probes_digest(const Database& database);
/// Accepted answers of a judgement set, entry by entry: labels and first anchor.
[[nodiscard]] ContentDigest answers_digest(const Database& database, std::int64_t judgement_set);
/// By configuration and run.
[[nodiscard]] std::vector<StudyRunRecord> study_runs(const Database& database);

}  // namespace memuse::store
