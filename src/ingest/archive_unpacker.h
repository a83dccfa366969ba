#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/archive_source.h"
#include "ingest/container_kind.h"
#include "ingest/container_limits.h"
#include "ingest/diagnostic_log.h"

struct archive_entry;

namespace memuse::ingest {

/// The name of a member as a path below the folder that it goes to: without `.`, with single slashes. Throws ReadFault
/// with the reason when it names a place outside, or none.
std::filesystem::path safe_member_path(std::string_view name);

/// Writes the regular files of an archive, and of archives inside it, below a folder.
class ArchiveUnpacker {
 public:
  /// `root`: exists and is empty; everything goes below it.
  ArchiveUnpacker(std::filesystem::path root, const ContainerLimits& limits)
      : root_(std::move(root)), limits_(limits) {}

  /// Reads the archive in one pass, then those inside it. Throws ReadFault when nothing of it can be read, and
  /// UnpackingStopped.
  void unpack(const std::string& archive_path);

  /// Faults and members that were left out, sorted. `file` is empty for the archive itself.
  [[nodiscard]] std::vector<Diagnostic> take_diagnostics();

 private:
  /// An archive to be read: where it lies, where its members go, what it is called in diagnostics.
  struct Job {
    std::string file;
    std::filesystem::path folder;
    std::string name;
    ContainerSeen seen;
    int depth = 1;
  };

  void unpack_one(const Job& job, std::vector<Job>& inner);
  void read_members(const Job& job, archive* opened, std::vector<Job>& inner);
  void read_member(const Job& job, archive* opened, archive_entry* entry, std::vector<Job>& inner);
  /// Returns the first bytes of the member.
  std::string write_member(archive* opened, const std::filesystem::path& file);
  void add_inner(const Job& job, const std::filesystem::path& below, std::vector<Job>& inner);
  void make_folders(const std::filesystem::path& folder);
  void count_entry();
  /// Throws UnpackingStopped.
  void stop_if_asked() const;
  void left_out(Severity severity, const std::string& reason, const std::string& name);

  std::filesystem::path root_;
  ContainerLimits limits_;
  std::uint64_t bytes_in_ = 0;  // size of the outermost archive: what is inside may not ask for more
  std::uint64_t bytes_out_ = 0;
  std::uint64_t entries_ = 0;
  std::filesystem::path last_folder_;      // made, or there already
  const ArchiveSource* source_ = nullptr;  // of the archive that is read; null for a zip
  DiagnosticLog* log_ = nullptr;           // of the archive that is read
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace memuse::ingest
