#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace memuse::test {

/// Folder with reference data (traces, worked examples): MEMUSE_SHARED_DATA, else ../shared/data beside the checkout.
inline std::filesystem::path shared_data() {
  if (const char* named = std::getenv("MEMUSE_SHARED_DATA"); named != nullptr) return named;
  return std::filesystem::path(MEMUSE_SOURCE_DIR) / ".." / "shared" / "data";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace memuse::test

/// Leaves the test case when the reference data is not on this machine.
#define MEMUSE_NEEDS_SHARED_DATA()                             \
  if (!std::filesystem::exists(memuse::test::shared_data())) { \
    WARN("skipped: no reference data on this machine");        \
    return;                                                    \
  }
