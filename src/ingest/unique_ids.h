#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace memuse::ingest {

/// Gives every id once.
class UniqueIds {
 public:
  /// The wanted id; when it is taken, the first free one of `wanted.2`, `wanted.3`, … However often one is wanted, the
  /// work for it stays the same.
  std::string take(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    std::uint64_t& number = next_.try_emplace(wanted, 2).first->second;
    std::string id = fmt::format("{}.{}", wanted, number++);
    while (!taken_.insert(id).second) id = fmt::format("{}.{}", wanted, number++);
    return id;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::uint64_t> next_;  // number to try for an id that is taken
};

}  // namespace memuse::ingest
