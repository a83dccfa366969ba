#include "spans/exposures.h"

#include <algorithm>
#include <utility>

#include "model/entries.h"
#include "model/text.h"

// Text is compared after Unicode NFC and white-space folding. Each exposed text is normalised once, when it is met, and
// each distinct result is kept once; everything after this file compares numbers. Most texts are plain ASCII on one
// line and normal as they are: those are not copied at all.
//
// Cost: one pass over the exposed texts, and memory for the distinct ones that had to be changed.

namespace memuse::spans {
namespace {

/// True when `normalise_text` would give back the same bytes; may be false for a text that is normal all the same.
bool is_plainly_normal(std::string_view text) {
  if (!text.empty() && (text.front() == ' ' || text.back() == ' ')) return false;
  bool after_space = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || (byte >= 0x09 && byte <= 0x0D)) return false;
    const bool space = byte == 0x20;
    if (space && after_space) return false;
    after_space = space;
  }
  return true;
}

}  // namespace

Exposures::Exposures(const Episode& episode) : episode_(episode) {
  by_delivery_.reserve(episode.deliveries.size());
  for (const Delivery& delivery : episode.deliveries) {
    std::vector<Exposure> exposures;
    for (const ExposedEntry& entry : exposed_entries(episode, delivery)) {
      Exposure exposure;
      exposure.index = entry.index;
      if (entry.recorded == nullptr) {
        exposure.text = number_of_placed_text(entry.text);
      } else {
        exposure.text = number_of_text(entry.text);
        if (entry.recorded->item) {
          exposure.item = items_.try_emplace(*entry.recorded->item, item_count()).first->second;
        }
      }
      exposures.push_back(exposure);
    }
    by_delivery_.push_back(std::move(exposures));
  }
}

std::uint32_t Exposures::number_of_text(std::string_view text) {
  std::string changed;
  std::string_view normal = text;
  if (!is_plainly_normal(text)) {
    changed = normalise_text(text);
    normal = changed;
  }
  if (const auto found = number_by_text_.find(normal); found != number_by_text_.end()) return found->second;
  if (!changed.empty()) normal = arena_.keep(normal);
  const std::uint32_t number = text_count();
  texts_.push_back(normal);
  number_by_text_.emplace(normal, number);
  return number;
}

std::uint32_t Exposures::number_of_placed_text(std::string_view text) {
  // Any number of deliveries may point at the same bytes of one message; they are looked at once.
  const auto [place, is_new] = number_by_place_.try_emplace({text.data(), text.size()}, kNone);
  if (is_new) place->second = number_of_text(text);
  return place->second;
}

}  // namespace memuse::spans
