#include "spans/spans.h"

#include "spans/exposures.h"
#include "spans/grouping.h"
#include "spans/routing.h"
#include "spans/visibility.h"
#include "spans/windows.h"

// The chain of phases, one file each. Every phase is a pure function of the episode and of what the phases before it
// found:
//
//   exposures    what each delivery exposes: (item, normalised text), each distinct text once, in input order
//   visibility   at which steps the copy of an entry can be seen, and which deliveries are consumed
//   grouping     identical deliveries without a gap become spans
//   windows      credit windows of the spans' entries
//   routing      who answers for a span: the judge, a rule, or nobody
//
// `text_matcher` and `containment` are the string algorithms that visibility and windows rest on.

namespace memuse::spans {

namespace {

/// Without a visible input there is no telling when a copy could be seen, so no span, window or prior context.
std::vector<UnconsumedDelivery> list_unplaced(const Episode& episode) {
  std::vector<UnconsumedDelivery> all;
  for (std::uint32_t delivery = 0; delivery < episode.deliveries.size(); ++delivery) {
    all.push_back({delivery, "the visible input of this episode is unknown"});
  }
  return all;
}

}  // namespace

EpisodeSpans compute_spans(const Episode& episode) {
  EpisodeSpans result;
  if (episode.deliveries.empty() && episode.searches.empty()) return result;
  if (episode.visibility == VisibilityGrade::unknown) {
    result.unconsumed = list_unplaced(episode);
    return result;
  }
  const Exposures exposures(episode);
  const Visibility visibility(exposures);
  result.spans = group_deliveries(exposures, visibility);
  result.unowned_entry_steps = assign_windows(exposures, visibility, result.spans);
  route(result.spans);
  result.unconsumed = list_unconsumed(exposures, visibility);
  return result;
}

}  // namespace memuse::spans
