#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace memuse::spans {

/// Which texts of a set contain which others.
class Containment {
 public:
  /// `texts` are distinct and not empty; they are read during construction only.
  explicit Containment(const std::vector<std::string_view>& texts);

  /// Texts that text `number` contains directly. All that it contains are reached by going on from there.
  [[nodiscard]] const std::vector<std::uint32_t>& inside(std::uint32_t number) const { return inside_[number]; }
  /// All texts, longest first: a text stands before everything that it contains.
  [[nodiscard]] const std::vector<std::uint32_t>& longest_first() const { return longest_first_; }

 private:
  std::vector<std::vector<std::uint32_t>> inside_;
  std::vector<std::uint32_t> longest_first_;
};

}  // namespace memuse::spans
