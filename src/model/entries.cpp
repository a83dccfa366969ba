#include "model/entries.h"

#include <algorithm>

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

bool counts_as_empty_delivery(const Episode& episode, std::size_t index) {
  const Search& search = episode.searches[index];
  if (!search.completed || !search.returned.empty() || search.step == kNever) return false;
  return std::none_of(episode.deliveries.begin(), episode.deliveries.end(),
                      [&](const Delivery& delivery) { return delivery.search == search.id; });
}

}  // namespace memuse
