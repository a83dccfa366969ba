#pragma once

#include <optional>
#include <string>

#include "ingest/bridge_log.h"
#include "ingest/bridge_root_info.h"

// One attempt at one instance as an Episode.

namespace memuse::ingest::bridge {

/// What is read as one episode.
struct Attempt {
  std::string id;  ///< of the episode, unique in the run root
  Instance instance;
  std::optional<RunDir> run_dir;  ///< none for an instance that was not recorded
  SessionStart start;             ///< the session in the run dir's log
  std::optional<std::uint64_t> end;
  bool chosen = true;  ///< the instance's own files and verdict speak of this attempt
};

/// Attempts at an instance: one per session of each run dir with a log; one without a log when there is none. The one
/// that the instance's files and verdict speak of has the instance's id.
std::vector<Attempt> find_attempts(const ReadContext& context, const Instance& instance);

/// Reads an attempt. `info` is what the root says of all.
Episode read_attempt(const ReadContext& context, const RootInfo& info, const Attempt& attempt);

}  // namespace memuse::ingest::bridge
