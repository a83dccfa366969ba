#pragma once

#include <cstdint>
#include <vector>

#include "model/span.h"
#include "spans/exposures.h"
#include "spans/visibility.h"

namespace memuse::spans {

/// Sets the credit window of every span's entries (semantics.md §3). `spans` are numbered in order and their entries
/// stand as the target delivery exposed them. Returns `EpisodeSpans::unowned_entry_steps`.
std::uint64_t assign_windows(const Exposures& exposures, const Visibility& visibility, std::vector<Span>& spans);

}  // namespace memuse::spans
