#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/labels.h"

namespace memuse {

/// A closed interval of step numbers, `first <= last`.
struct Window {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

/// One delivery of a span.
struct SpanDelivery {
  std::uint32_t delivery = 0;  ///< index into `Episode::deliveries`; `Episode::deliveries.size() + i` is search i
  std::uint32_t step = 0;      ///< consuming step
  bool restatement = false;    ///< false for the target delivery
};

/// One entry of a span, as its target delivery exposed it.
struct SpanEntry {
  std::uint32_t entry = 0;  ///< index in the target delivery's list; 0 for a delivery that counts as its placed text
  std::optional<Window> window;  ///< credit window (semantics.md §3); empty when its credit is already open elsewhere
};

/// A maximal group of identical deliveries without a gap (semantics.md §2).
struct Span {
  std::uint32_t number = 0;  ///< 1-based: S1, S2, …
  std::uint32_t first_step = 0;
  std::uint32_t last_step = 0;  ///< end of the unbroken visibility of its copies
  Routing routing = Routing::judged;
  std::vector<SpanDelivery> deliveries;  ///< target first, in input order
  std::vector<SpanEntry> entries;
};

/// Why a delivery was placed but never consumed.
struct UnconsumedDelivery {
  std::uint32_t delivery = 0;  ///< index into `Episode::deliveries`
  std::string reason;
};

/// All spans of one episode.
struct EpisodeSpans {
  std::vector<Span> spans;  ///< by number
  std::vector<UnconsumedDelivery> unconsumed;
  /// (entry, step) pairs in which an entry with an empty window still has its text held while no window of the same
  /// item's containing text is open: credit that nobody owns (semantics.md §3).
  std::uint64_t unowned_entry_steps = 0;
};

}  // namespace memuse
