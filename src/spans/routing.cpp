#include "spans/routing.h"

#include <algorithm>

// A span goes to the judge when some entry has credit of its own to explain. A span whose entries all have empty
// windows is neutral by rule: what it might have caused is credited to earlier entries. A span without entries is a
// placeholder.

namespace memuse::spans {

void route(std::vector<Span>& spans) {
  for (Span& span : spans) {
    const bool any_window = std::any_of(span.entries.begin(), span.entries.end(),
                                        [](const SpanEntry& entry) { return entry.window.has_value(); });
    if (any_window) {
      span.routing = Routing::judged;
    } else {
      span.routing = span.entries.empty() ? Routing::empty : Routing::automatic_neutral;
    }
  }
}

}  // namespace memuse::spans
