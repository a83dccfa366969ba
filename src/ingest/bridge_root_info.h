#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/bridge_json_file.h"

// What a run root says of all its instances: their order, the memory arm, the verdicts.

namespace memuse::ingest::bridge {

/// What an evaluation report says of an instance.
struct Verdict {
  std::optional<bool> resolved;
  std::string kind;    ///< `resolved`, `unresolved`, `error`, `incomplete`, `empty_patch`
  std::string source;  ///< path of the report below the root
};

struct RootInfo {
  std::vector<std::string> order;                 ///< ids in execution order, each once
  std::map<std::string, std::uint64_t> position;  ///< 1-based; only ids whose place is known
  std::string adapter;                            ///< `cure`, `mem0`, `tencentdb`; empty when nothing names one
  std::map<std::string, Verdict> verdicts;
};

/// Reads the small files of the root. Ids that have a folder but no place in the order come last, by name.
RootInfo read_root_info(const ReadContext& context);

/// The verdict of one instance: from the summary, else from a report of its own.
std::optional<Verdict> verdict_of(const ReadContext& context, const RootInfo& info, const std::string& id);

}  // namespace memuse::ingest::bridge
