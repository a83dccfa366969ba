#pragma once

#include <string>
#include <string_view>

namespace memuse::fuzz {

/// Bytes as a file without a place on disk, for readers that open what they read.
class MemoryFile {
 public:
  /// Throws std::system_error when the system has no room for it.
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// A path that opens it, as long as this lives.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace memuse::fuzz
