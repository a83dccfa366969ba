#pragma once

#include <string>
#include <string_view>

namespace memuse::ingest {

/// Files that are read from another place than the one people know them by (members of an archive, standard input).
struct ShownPaths {
  std::string real;   ///< where they lie
  std::string shown;  ///< what that place is called

  /// The text with every mention of the real place replaced.
  [[nodiscard]] std::string show(std::string_view text) const;
};

}  // namespace memuse::ingest
