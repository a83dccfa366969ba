#pragma once

#include <string>
#include <vector>

#include "model/diagnostic.h"

namespace memuse::ingest {

/// One file to read, or one folder that a format claims whole.
struct Input {
  std::string path;     ///< as given, or the given folder plus the path below it
  bool named = false;   ///< the user named this very file, so that not knowing its format is an error
  bool folder = false;  ///< a folder to be read as one (`Adapter::claims`)
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

}  // namespace memuse::ingest
