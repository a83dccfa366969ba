#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bridge_chat.h"
#include "ingest/bridge_json_file.h"

// The files beside the log of an instance: `memory.json`, `<id>.traj.json`, `run.json`.

namespace memuse::ingest::bridge {

/// `memory.json`: what the bridge itself says it did.
struct MemoryFile {
  struct Recall {
    std::uint64_t step = 0;
    std::optional<std::uint64_t> memories, chars;
  };
  struct Annotation {
    std::string_view reason;
    std::optional<std::uint64_t> step;
  };
  bool present = false;
  std::optional<bool> enabled, available;
  std::string_view scope, adapter, session_id;
  std::string_view store_key;  ///< what the namespace is the SHA-256 of: the store's path or the user id
  std::optional<std::uint64_t> recall_injections, recall_cache_hits, search_errors;
  std::vector<Recall> recalls;
  std::vector<Annotation> annotations;
};

/// `<id>.traj.json`: the agent's own record, in which no recall block ever stands.
struct AgentFile {
  struct Reply {
    Usage usage;
    std::optional<double> cost_usd;
    std::string_view time, model;
    bool used = false;
  };
  bool present = false;
  std::string_view exit_status, model, agent_type;
  std::optional<std::uint64_t> api_calls;
  std::optional<double> cost_usd;
  std::vector<ChatMessage> messages;  ///< without the `exit` message
  std::vector<Reply> replies;         ///< by message; empty for those that are no replies
};

/// `run.json`: the recorder's own counters.
struct RunFile {
  bool present = false;
  std::string_view status;
  std::optional<std::uint64_t> calls, turns, messages;
  std::vector<std::pair<std::string_view, Usage>> usage_by_lane;

  /// Stopped in order, so that the recording is whole.
  [[nodiscard]] bool finalised() const { return status == "stopped" || status == "completed"; }
};

/// Each reads one file below the root if it is there, adds a line for it to `hashes` under `name`, and keeps its texts
/// in `arena`.
MemoryFile read_memory_file(const ReadContext& context, const std::string& below, Arena& arena,
                            std::vector<std::string>& hashes);
AgentFile read_agent_file(const ReadContext& context, const std::string& below, Arena& arena,
                          std::vector<std::string>& hashes);
RunFile read_run_file(const ReadContext& context, const std::string& below, Arena& arena,
                      std::vector<std::string>& hashes);

}  // namespace memuse::ingest::bridge
