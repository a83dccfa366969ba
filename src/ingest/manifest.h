#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/inputs.h"

namespace memuse::ingest {

/// One row of a manifest: what a study calls the traces at a path. Empty fields leave what the traces say.
struct ManifestRow {
  std::string path;  ///< a relative one starts at the manifest's folder
  std::string configuration;
  std::string run;
  std::string outcomes;          ///< file or folder of outcomes of these traces
  std::string order;             ///< file of task ids, one a line, in the order in which they were run
  std::optional<bool> baseline;  ///< of the configuration
  std::uint64_t line = 0;
};

/// Reads a manifest: CSV with a header; the column `path` is required, `configuration`, `run`, `outcomes`, `order` and
/// `baseline` (yes or no) may follow in any order. Paths are made relative to the manifest's folder. Throws
/// Error(usage), with the line and what to do, for anything that cannot be followed to the letter: a study that is
/// named wrongly is worse than none.
std::vector<ManifestRow> read_manifest(const std::string& path);

/// The naming of a row; reads its order file. Throws Error(usage) when that cannot be read or names a task twice.
std::shared_ptr<const RunNaming> naming_of(const ManifestRow& row);

/// The columns of a manifest, in the order in which one is drafted.
const std::vector<std::string>& manifest_columns();

}  // namespace memuse::ingest
