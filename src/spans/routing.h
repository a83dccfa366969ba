#pragma once

#include <vector>

#include "model/span.h"

namespace memuse::spans {

/// Sets `routing` of every span from its entries and their windows (semantics.md §4).
void route(std::vector<Span>& spans);

}  // namespace memuse::spans
