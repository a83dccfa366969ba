#include "fuzz/targets.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace memuse::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> joined;
    for (auto* part :
         {&adapter_targets, &container_targets, &rule_targets, &table_targets, &answer_targets, &writer_targets}) {
      for (Target& target : part()) joined.push_back(std::move(target));
    }
    return joined;
  }();
  return all;
}

std::vector<SeedFile> source_files(const std::string& folder, std::size_t max_bytes) {
  const std::filesystem::path root = std::filesystem::path(MEMUSE_SOURCE_DIR) / folder;
  std::vector<SeedFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.file_size() > max_bytes) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().lexically_relative(MEMUSE_SOURCE_DIR).string(),
                     std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
  }
  std::sort(files.begin(), files.end(), [](const SeedFile& a, const SeedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace memuse::fuzz
