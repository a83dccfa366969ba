#include "ingest/recent_places.h"

namespace memuse::ingest {

FileState file_state(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw ReadFault{"no such file: " + path};
  return {full_path(path).string(), status.st_dev,         status.st_ino,
          status.st_size,           status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace memuse::ingest
