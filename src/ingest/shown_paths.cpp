#include "ingest/shown_paths.h"

namespace memuse::ingest {

std::string ShownPaths::show(std::string_view text) const {
  std::string result;
  std::size_t done = 0;
  while (!real.empty()) {
    const std::size_t found = text.find(real, done);
    if (found == std::string_view::npos) break;
    result.append(text, done, found - done);
    result += shown;
    done = found + real.size();
  }
  result.append(text.substr(done));
  return result;
}

}  // namespace memuse::ingest
