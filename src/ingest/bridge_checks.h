#pragma once

#include "ingest/bridge_deliveries.h"

namespace memuse::ingest::bridge {

/// How much of an episode's memory traffic the recording shows.
enum class TraceState : std::uint8_t { traced, partly_traced, untraced };
std::string_view name(TraceState state);

/// Everything that was read of one attempt.
struct AttemptFiles {
  const EventLog& log;
  const Replay& replay;
  const DeliveryPlan& plan;
  const CallFiles& calls;
  const MemoryFile& memory;
  const RunFile& run;
};

/// Makes the checks of bridge-v6 section 12 and those for under-recording; every failed one becomes a diagnostic of
/// `faults`, none stops anything.
TraceState check(const AttemptFiles& files, DiagnosticLog& faults);

}  // namespace memuse::ingest::bridge
