#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memuse::judge {

/// A map from well-mixed 64-bit keys to small numbers in one flat table, because the search looks up every atom of a
/// text and each miss in a node-based map costs two or three cache lines.
class KeyIndex {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t key) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t i = key & mask();; i = (i + 1) & mask()) {
      if (slots_[i].value == kFree) return std::nullopt;
      if (slots_[i].key == key) return slots_[i].value;
    }
  }

  /// The value of `key`, which becomes `value` (below 2^32 - 1) when the key is new.
  std::uint32_t find_or_add(std::uint64_t key, std::uint32_t value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = place_of(key);
    if (slot.value == kFree) {
      slot = {key, value};
      ++size_;
    }
    return slot.value;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kFree;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  Slot& place_of(std::uint64_t key) {
    std::size_t i = key & mask();
    while (slots_[i].value != kFree && slots_[i].key != key) i = (i + 1) & mask();
    return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != kFree) place_of(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two of them, at most half in use
  std::size_t size_ = 0;
};

}  // namespace memuse::judge
