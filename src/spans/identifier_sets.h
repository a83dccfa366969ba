#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memuse::spans {

/// Sets of identifiers, each distinct set kept once.
class IdentifierSets {
 public:
  /// The number of the set of these identifiers, whose order and repetitions do not count. The views must outlive the
  /// object.
  std::uint32_t number_of(const std::vector<std::string_view>& identifiers);
  /// True when set `outer` has every identifier of set `inner`.
  [[nodiscard]] bool covers(std::uint32_t outer, std::uint32_t inner) const;

 private:
  std::unordered_map<std::string_view, std::uint32_t> identifiers_;
  std::unordered_map<std::string, std::uint32_t> number_by_content_;
  std::vector<std::vector<std::uint32_t>> sets_;  // ascending
};

}  // namespace memuse::spans
