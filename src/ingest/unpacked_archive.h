#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ingest/container_limits.h"
#include "ingest/temporary_place.h"
#include "model/diagnostic.h"

// Archives are read in one pass into a temporary folder, and read from there: traces of many formats are several files
// that name each other, and judging comes back to each of them. Memory does not grow with an archive, the disk does,
// within the limits.

namespace memuse::ingest {

/// The regular files of one archive, and of the archives inside it, below one folder; removed at the end. Nothing is
/// ever written outside of it: members with absolute names or `..`, links and devices are left out.
class UnpackedArchive {
 public:
  /// Reads the archive at `path` in one pass. What was read before a fault or a limit stays, the fault is a diagnostic.
  /// Throws ReadFault when it cannot be read at all, and UnpackingStopped.
  UnpackedArchive(const std::string& path, const ContainerLimits& limits);

  /// The folder of its members. Its last names are those of the archive's path, with `!` behind it.
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// Sorted; `file` is the archive (empty), or the archive inside it as a path below the root.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  TemporaryPlace place_;
  std::filesystem::path root_;
  std::vector<Diagnostic> diagnostics_;
};

/// The archive unpacked: the same for all who ask while somebody keeps it, and the last few are kept until the program
/// ends, so that an archive that is ingested and then judged is unpacked once. Thread-safe. Throws ReadFault, and
/// UnpackingStopped.
std::shared_ptr<const UnpackedArchive> unpacked_archive(const std::string& path, const ContainerLimits& limits);

/// A path like `runs.tar.zst!/inner/a.jsonl` taken apart.
struct MemberPath {
  std::string archive;
  std::string below;  ///< empty for the whole archive
};

/// Nothing for a path that exists as it stands (a real file of that name wins), or that names no archive.
std::optional<MemberPath> member_path(const std::string& path);

/// Where a file that may be a member of an archive can be opened, and what must be kept while it is in use.
struct OpenPlace {
  std::string path;   ///< to be opened
  std::string root;   ///< the part of it that is shown as `shown`; empty when it is no member
  std::string shown;  ///< `archive!`
  std::shared_ptr<const UnpackedArchive> keep;
};

/// Unpacks the archive when `path` is one of its members. Throws ReadFault.
OpenPlace open_place(const std::string& path, const ContainerLimits& limits);

}  // namespace memuse::ingest
