#include "spans/identifier_sets.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace memuse::spans {

std::uint32_t IdentifierSets::number_of(const std::vector<std::string_view>& identifiers) {
  std::vector<std::uint32_t> set;
  set.reserve(identifiers.size());
  for (const std::string_view identifier : identifiers) {
    const auto next = static_cast<std::uint32_t>(identifiers_.size());
    set.push_back(identifiers_.try_emplace(identifier, next).first->second);
  }
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  std::string content(set.size() * sizeof(std::uint32_t), '\0');
  if (!set.empty()) std::memcpy(content.data(), set.data(), content.size());
  const auto [place, is_new] = number_by_content_.try_emplace(std::move(content), sets_.size());
  if (is_new) sets_.push_back(std::move(set));
  return place->second;
}

bool IdentifierSets::covers(std::uint32_t outer, std::uint32_t inner) const {
  if (outer == inner) return true;
  const std::vector<std::uint32_t>& all = sets_[outer];
  const std::vector<std::uint32_t>& some = sets_[inner];
  return some.size() <= all.size() && std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace memuse::spans
