#pragma once

#include <string_view>

namespace memuse {

/// A file of the source tree that is part of the program (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< without its extension
  std::string_view text;
};

}  // namespace memuse
