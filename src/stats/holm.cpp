#include "stats/holm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>

namespace memuse::stats {

std::vector<std::optional<double>> holm_adjusted(std::span<const std::optional<double>> p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i)
    if (p_values[i] && !std::isnan(*p_values[i])) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *p_values[a] < *p_values[b]; });

  std::vector<std::optional<double>> adjusted(p_values.size());
  double largest = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto factor = static_cast<double>(order.size() - rank);
    largest = std::max(largest, factor * *p_values[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

std::vector<std::optional<double>> holm_adjusted_by_family(std::span<const FamilyTest> tests) {
  std::map<std::string_view, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < tests.size(); ++i) families[tests[i].family].push_back(i);

  std::vector<std::optional<double>> adjusted(tests.size());
  for (const auto& [family, members] : families) {
    std::vector<std::optional<double>> p_values;
    for (const std::size_t member : members) p_values.push_back(tests[member].p);
    const auto within = holm_adjusted(p_values);
    for (std::size_t i = 0; i < members.size(); ++i) adjusted[members[i]] = within[i];
  }
  return adjusted;
}

}  // namespace memuse::stats
