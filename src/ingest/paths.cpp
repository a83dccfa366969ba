#include "ingest/paths.h"

#include <system_error>

namespace memuse::ingest {

namespace fs = std::filesystem;

fs::path full_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  // Without a current folder there is no absolute path; the one that was given still names the same place.
  const fs::path normal = (error ? fs::path(path) : absolute).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace memuse::ingest
