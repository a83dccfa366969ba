#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ingest/bridge_calls.h"
#include "ingest/bridge_log.h"

// What the model saw in each call of a lane, rebuilt from the log's messages, retractions and rewrites and proven or
// completed by `calls/`. The cost is that of the events: a call is told by what changed since the one before.

namespace memuse::ingest::bridge {

/// One message of a conversation over all calls that show it, however often the log repeats it.
struct SeenMessage {
  std::size_t message = 0;       ///< as first recorded: index into `EventLog::messages`
  std::size_t current = 0;       ///< as last recorded
  std::uint32_t first_call = 0;  ///< shown in the calls first_call … end_call - 1 of its lane
  std::uint32_t end_call = kNever;
  std::uint64_t number = 0;  ///< `msg` as last recorded
  bool reply = false;
  bool block = false;       ///< a recall block, by its form or because a delivery names its text
  bool behind_new = false;  ///< a result that stands behind another new message
};

/// A message whose text another record of it has shortened or changed.
struct Rewrite {
  std::uint32_t instance = 0;
  std::size_t message = 0;
};

/// One call of a lane: an assistant message that is no echo of an earlier one.
struct Call {
  std::size_t event = 0;             ///< index of the reply's event
  std::uint32_t reply = 0;           ///< instance
  std::vector<std::uint32_t> added;  ///< instances that this call shows first, in the order of its input
  std::vector<Rewrite> rewritten;    ///< instances with another text from this call on
  bool compacted = false;            ///< messages other than the last block and its reply are gone
  bool proven = false;               ///< its input is that of a request in `calls/`
  bool reordered = false;            ///< the order of its input could not be kept
  const CallFile* file = nullptr;
};

/// The calls of one lane.
struct Lane {
  std::string_view name;
  std::vector<SeenMessage> instances;
  std::vector<Call> calls;
  std::uint64_t rewrites = 0;  ///< `history_rewritten` events
};

struct Replay {
  std::vector<Lane> lanes;                                      ///< in the order of their first event
  std::size_t main = 0;                                         ///< the lane of the agent
  std::vector<std::pair<std::size_t, std::size_t>> call_order;  ///< (lane, call) in the order of the log
  std::uint64_t doubts = 0;

  [[nodiscard]] const Lane& main_lane() const { return lanes[main]; }
};

/// Replays a log. Adds messages to it that only requests show.
Replay replay(EventLog& log, CallFiles& calls, const ReadContext& context, Arena& arena, DiagnosticLog& faults);

}  // namespace memuse::ingest::bridge
