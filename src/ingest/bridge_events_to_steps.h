#pragma once

#include "ingest/bridge_checks.h"
#include "ingest/episode_recorder.h"

namespace memuse::ingest::bridge {

/// What the steps of an episode are made of.
struct StepSources {
  const EventLog& log;
  const Replay& replay;
  const DeliveryPlan& plan;
  AgentFile& agent;          ///< gives token counts, costs and the last observations; its replies are used up
  bool agent_reads = false;  ///< reads by the agent itself count as deliveries (tencentdb)
};

/// Records the agent's calls as steps, with everything between them, in the order in which it happened.
void record_steps(const StepSources& sources, EpisodeRecorder& recorder, DiagnosticLog& faults);

/// Records an instance without a log from the agent's own file: its messages are all that is known.
void record_unlogged_steps(const AgentFile& agent, EpisodeRecorder& recorder);

}  // namespace memuse::ingest::bridge
