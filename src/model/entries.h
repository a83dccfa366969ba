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
/// The views live as long as the episode.
std::vector<ExposedEntry> exposed_entries(const Episode& episode, const Delivery& delivery);

/// Indices of the searches that count as empty deliveries (semantics.md §2): completed, nothing returned, cited by no
/// delivery, followed by a step. Ascending; linear in the episode.
std::vector<std::uint32_t> searches_counting_as_empty(const Episode& episode);

}  // namespace memuse
