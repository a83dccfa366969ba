#pragma once

#include <cstdint>
#include <vector>

#include "model/episode.h"

namespace memuse {

/// An entry as the rules count it (trace-format.md, "Exact rules").
struct ExposedEntry {
  std::uint32_t index = 0;          ///< index in the delivery's list; 0 for a delivery that counts as its placed text
  const Entry* recorded = nullptr;  ///< null when the entry stands for the whole placed text
  std::string_view text;            ///< exposed text as given
};

/// Entries of a delivery: the recorded ones with text, else the placed text as one entry without an item id, else none.
std::vector<ExposedEntry> exposed_entries(const Episode& episode, const Delivery& delivery);

/// True when search `index` counts as an empty delivery: completed, nothing returned, cited by no delivery, followed by
/// a step.
bool counts_as_empty_delivery(const Episode& episode, std::size_t index);

}  // namespace memuse
