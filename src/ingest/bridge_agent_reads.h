#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

namespace memuse::ingest::bridge {

/// A read of memory that the agent does itself (bridge-v6 section 5, tencentdb): a curl to one of two endpoints.
struct AgentRead {
  bool scene = false;  ///< a scene file; else a search of the conversations
  std::string key;     ///< its path, or the query
};

/// The reads in one tool call, by the bridge's own rule for those that count: the endpoint and the quoted key stand in
/// its command, and the key's value is not the placeholder of the guide.
std::vector<AgentRead> reads_of(const Action& action);

/// Bytes of the output inside an observation: what stands between the lines `<output>` and `</output>`, else all of it.
ByteRange output_range(std::string_view observation);

}  // namespace memuse::ingest::bridge
