#include "ingest/temporary_place.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

TemporaryPlace::TemporaryPlace() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw ReadFault{"there is no folder for temporary files (TMPDIR): " + error.message()};
  std::string name = (parent / "memuse-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw ReadFault{"cannot make a temporary folder in " + parent.string() + " (TMPDIR): " + std::strerror(errno)};
  }
  path_ = name;
}

TemporaryPlace::~TemporaryPlace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace memuse::ingest
