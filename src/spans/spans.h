#pragma once

#include "model/episode.h"
#include "model/span.h"

namespace memuse::spans {

/// Spans, credit windows and routing of one episode (semantics.md §2–§4, trace-format.md "Exact rules").
///
/// Spans are numbered by first consuming step, then by position in the input; `unconsumed` is in delivery order. Search
/// i that counts as an empty delivery stands as delivery `episode.deliveries.size() + i`. The result refers to the
/// episode by index only and outlives it. Never fails; a pure function, safe to call from any thread. Time and memory
/// grow with the bytes of the episode's deliveries and of the rewrites of their messages, not with steps × visible
/// input.
EpisodeSpans compute_spans(const Episode& episode);

}  // namespace memuse::spans
