#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/diagnostic.h"

namespace memuse::ingest {

/// How a study calls the traces at one path (a row of a manifest). Empty fields leave what the traces say.
struct RunNaming {
  std::string configuration;
  std::string run;
  std::unordered_map<std::string, std::uint64_t> positions;  ///< 1-based place of each task in the run, when known
};

/// One file to read, or one folder that a format claims whole.
struct Input {
  std::string path;     ///< as given, or the given folder plus the path below it
  bool named = false;   ///< the user named this very file, so that not knowing its format is an error
  bool folder = false;  ///< a folder to be read as one (`Adapter::claims`)
  std::shared_ptr<const RunNaming> naming = nullptr;  ///< null when no manifest speaks of it
};

/// Files to read, sorted by path, each once.
struct InputList {
  std::vector<Input> files;
  std::vector<Diagnostic> diagnostics;
};

/// Finds the files in `paths`: files as they are, folders with everything below them except hidden names; a folder
/// that a format claims is one input. Links to
/// folders are followed, each real folder once. What cannot be listed becomes a diagnostic.
InputList find_inputs(const std::vector<std::string>& paths);

/// Traces at one path, and how to call them.
struct NamedPath {
  std::string path;
  std::shared_ptr<const RunNaming> naming;  ///< may be null
};

/// The same; of several paths that lead to a file, the longest (the most specific) names it.
InputList find_inputs(const std::vector<NamedPath>& paths);

/// All files in a folder and below it, whatever formats say of folders.
InputList find_plain_files(const std::string& folder);

}  // namespace memuse::ingest
