#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/bridge_replay.h"
#include "ingest/bridge_sidecars.h"

// Which call saw which recall block.

namespace memuse::ingest::bridge {

/// One block in one call: a `memory_delivery` with its call, or an injection that was not traced.
struct PlacedBlock {
  const DeliveryEvent* event = nullptr;              ///< null for an injection without a `memory_delivery`
  const std::vector<MemoryRef>* memories = nullptr;  ///< null when nothing tells which they are
  std::string_view search;
  std::uint32_t call = 0;                 ///< the call that saw it first; 0 when none did
  std::optional<std::uint32_t> instance;  ///< its message; none when it has to be put in or no call saw it
  std::string_view inserted;              ///< text to be put in, since the log leaves the blocks out
};

/// The agent counts its queries, the lane its calls; where deliveries show both, the two are tied together.
class StepMap {
 public:
  void tie(std::uint64_t step, std::uint32_t call) { ties_.emplace(step, call); }
  /// The call of the agent's step.
  [[nodiscard]] std::uint32_t call_of(std::uint64_t step) const;
  [[nodiscard]] std::uint64_t step_of(std::uint32_t call) const;

 private:
  std::map<std::uint64_t, std::uint32_t> ties_;
};

struct DeliveryPlan {
  std::vector<PlacedBlock> blocks;  ///< by call; those that no call saw first
  StepMap steps;
  std::uint64_t unseen = 0;    ///< deliveries whose block no call shows
  std::uint64_t untraced = 0;  ///< injections without a `memory_delivery`
  bool inserted = false;       ///< the log leaves the blocks out and no request shows them
};

/// Binds every delivery of the log to the call that saw its block: by its binding when the call's input shows the
/// block, else by the text. Finds the injections that were not traced by the form of the block and by `memory.json`.
DeliveryPlan plan_deliveries(const EventLog& log, const Replay& replay, const MemoryFile& memory,
                             DiagnosticLog& faults);

}  // namespace memuse::ingest::bridge
