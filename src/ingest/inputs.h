#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ingest/shown_paths.h"
#include "model/diagnostic.h"

namespace memuse::ingest {

/// How a study calls the traces at one path (a row of a manifest). Empty fields leave what the traces say.
struct RunNaming {
  std::string configuration;
  std::string run;
  std::unordered_map<std::string, std::uint64_t> positions;  ///< 1-based place of each task in the run, when known
};

/// Traces at one path, and how to call them.
struct NamedPath {
  std::string path;
  std::shared_ptr<const RunNaming> naming;  ///< may be null
};

/// One file to read, or one folder that a format claims whole, or one archive.
struct Input {
  std::string path;     ///< as given, or the given folder plus the path below it
  bool named = false;   ///< the user named this very file, so that not knowing its format is an error
  bool folder = false;  ///< a folder to be read as one (`Adapter::claims`)
  std::shared_ptr<const RunNaming> naming = nullptr;  ///< null when no manifest speaks of it
  /// For an archive: the paths inside it that are to be read (empty: all of it), with the names of each. Empty for
  /// files and folders.
  std::vector<NamedPath> parts = {};
  /// What the path is called, when it is not the path itself (a member of an archive, standard input).
  std::shared_ptr<const ShownPaths> shown = nullptr;

  [[nodiscard]] bool is_archive() const { return !parts.empty(); }
};

/// Files to read, sorted by path, each once.
struct InputList {
  std::vector<Input> files;
  std::vector<Diagnostic> diagnostics;
};

/// Finds the files in `paths`: files as they are, folders with everything below them except hidden names; a folder
/// that a format claims is one input, an archive is one input (`archive!/below` names a part of it). Links to folders
/// are followed, each real folder once. What cannot be listed becomes a diagnostic.
InputList find_inputs(const std::vector<std::string>& paths);

/// The same; of several paths that lead to a file, the longest (the most specific) names it.
InputList find_inputs(const std::vector<NamedPath>& paths);

/// Finds what is to be read of an archive that lies unpacked in `root`: like `find_inputs` for the paths of `archive`,
/// without looking for archives. The inputs are shown as lying below the archive's path with `!` behind it.
InputList find_members(const Input& archive, const std::string& root);

/// All files in a folder and below it, whatever formats say of folders.
InputList find_plain_files(const std::string& folder);

}  // namespace memuse::ingest
