#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/span.h"

namespace memuse::spans {

/// Closed interval of steps; the same shape as a credit window.
using Stretch = Window;

/// Makes an unordered list of stretches ascending, with overlapping and adjacent ones joined.
inline void join_stretches(std::vector<Stretch>& stretches) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (kept > 0 && stretches[i].first <= stretches[kept - 1].last + 1) {
      stretches[kept - 1].last = std::max(stretches[kept - 1].last, stretches[i].last);
    } else {
      stretches[kept++] = stretches[i];
    }
  }
  stretches.resize(kept);
}

/// The stretch of a joined list that contains `step`, if there is one.
inline std::optional<Stretch> stretch_at(const std::vector<Stretch>& joined, std::uint32_t step) {
  auto after = std::upper_bound(joined.begin(), joined.end(), step,
                                [](std::uint32_t value, const Stretch& stretch) { return value < stretch.first; });
  if (after == joined.begin()) return std::nullopt;
  --after;
  if (after->last < step) return std::nullopt;
  return *after;
}

/// Appends to `out` what of the joined list lies at or after `step`.
inline void append_from(std::vector<Stretch>& out, const std::vector<Stretch>& joined, std::uint32_t step) {
  auto begin = std::lower_bound(joined.begin(), joined.end(), step,
                                [](const Stretch& stretch, std::uint32_t value) { return stretch.last < value; });
  for (; begin != joined.end(); ++begin) out.push_back({std::max(begin->first, step), begin->last});
}

/// Steps that lie in both of two joined lists, as a joined list.
inline std::vector<Stretch> common_steps(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  std::vector<Stretch> common;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const std::uint32_t first = std::max(a[i].first, b[j].first);
    const std::uint32_t last = std::min(a[i].last, b[j].last);
    if (first <= last) common.push_back({first, last});
    if (a[i].last < b[j].last) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

/// Number of steps of `range` that lie in none of a joined list's stretches.
inline std::uint64_t steps_outside(const std::vector<Stretch>& joined, Stretch range) {
  std::uint64_t outside = std::uint64_t{range.last} - range.first + 1;
  auto at = std::lower_bound(joined.begin(), joined.end(), range.first,
                             [](const Stretch& stretch, std::uint32_t value) { return stretch.last < value; });
  for (; at != joined.end() && at->first <= range.last; ++at) {
    outside -= std::uint64_t{std::min(at->last, range.last)} - std::max(at->first, range.first) + 1;
  }
  return outside;
}

}  // namespace memuse::spans
