#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/arena.h"
#include "model/episode.h"

namespace memuse::spans {

/// "No item", "no text": an index beyond every other.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// An entry that counts, reduced to what the rules compare.
struct Exposure {
  std::uint32_t index = 0;     ///< index in the delivery's list; 0 for a delivery that counts as its placed text
  std::uint32_t item = kNone;  ///< number of the item id, `kNone` for an entry without one
  std::uint32_t text = 0;      ///< number of the normalised text
};

/// What every delivery of an episode exposes (semantics.md §2; trace-format.md "Exact rules"). Items and normalised
/// texts are numbered in order of first appearance, so that equality is equality of numbers.
class Exposures {
 public:
  /// `episode` must outlive the object.
  explicit Exposures(const Episode& episode);

  [[nodiscard]] const Episode& episode() const { return episode_; }
  [[nodiscard]] std::uint32_t delivery_count() const { return static_cast<std::uint32_t>(by_delivery_.size()); }
  /// Exposed entries in order; empty for an empty delivery.
  [[nodiscard]] const std::vector<Exposure>& of(std::uint32_t delivery) const { return by_delivery_[delivery]; }
  /// The normalised text of that number.
  [[nodiscard]] std::string_view text(std::uint32_t number) const { return texts_[number]; }
  [[nodiscard]] std::uint32_t item_count() const { return static_cast<std::uint32_t>(items_.size()); }
  [[nodiscard]] std::uint32_t text_count() const { return static_cast<std::uint32_t>(texts_.size()); }

 private:
  std::uint32_t number_of_text(std::string_view text);
  std::uint32_t number_of_placed_text(std::string_view text);

  const Episode& episode_;
  Arena arena_;  // normalised texts that differ from the text as given
  std::vector<std::vector<Exposure>> by_delivery_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::uint32_t> number_by_text_;
  std::unordered_map<std::string_view, std::uint32_t> items_;
  std::map<std::pair<const char*, std::size_t>, std::uint32_t> number_by_place_;  // of placed texts
};

}  // namespace memuse::spans
