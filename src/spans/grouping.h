#pragma once

#include <vector>

#include "model/span.h"
#include "spans/exposures.h"
#include "spans/visibility.h"

namespace memuse::spans {

/// Groups the consumed deliveries, and the searches that count as empty ones, into spans (semantics.md §2). Windows are
/// absent and routing is unset in the result.
std::vector<Span> group_deliveries(const Exposures& exposures, const Visibility& visibility);

}  // namespace memuse::spans
