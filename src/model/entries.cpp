#include "model/entries.h"

#include <unordered_set>

namespace memuse {

std::vector<ExposedEntry> exposed_entries(const Episode& episode, const Delivery& delivery) {
  std::vector<ExposedEntry> exposed;
  for (std::uint32_t i = 0; i < delivery.entries.size(); ++i) {
    const Entry& entry = delivery.entries[i];
    if (!is_blank(entry.text)) exposed.push_back({i, &entry, entry.text});
  }
  if (exposed.empty()) {
    const std::string_view placed = episode.placed_text(delivery);
    if (!is_blank(placed)) exposed.push_back({0, nullptr, placed});
  }
  return exposed;
}

std::vector<std::uint32_t> searches_counting_as_empty(const Episode& episode) {
  if (episode.searches.empty()) return {};
  std::unordered_set<std::string_view> cited;
  for (const Delivery& delivery : episode.deliveries) {
    if (!delivery.search.empty()) cited.insert(delivery.search);
  }
  std::vector<std::uint32_t> empty;
  for (std::uint32_t i = 0; i < episode.searches.size(); ++i) {
    const Search& search = episode.searches[i];
    const bool found_nothing = search.completed && search.returned.empty();
    if (found_nothing && search.step != kNever && !cited.contains(search.id)) empty.push_back(i);
  }
  return empty;
}

}  // namespace memuse
