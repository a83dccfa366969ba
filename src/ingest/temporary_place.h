#pragma once

#include <filesystem>

namespace memuse::ingest {

/// A new empty folder below the system's folder for temporary files (`TMPDIR`), for this user only; removed with all
/// that is in it at the end. Throws ReadFault.
class TemporaryPlace {
 public:
  TemporaryPlace();
  ~TemporaryPlace();
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace memuse::ingest
