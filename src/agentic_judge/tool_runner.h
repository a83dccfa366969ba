#pragma once

#include <string_view>

#include "evidence/evidence_set.h"
#include "evidence/evidence_tools.h"

namespace memuse::agentic_judge {

/// Carries out `list_files`, `read_file` or `search` as a model asked for it; `arguments` is what the model wrote.
/// Unknown tools and wrong arguments give a failed result that says how to do better.
evidence::ToolResult run_tool(const evidence::EvidenceSet& evidence, const evidence::ToolLimits& limits,
                              std::string_view tool, std::string_view arguments);

}  // namespace memuse::agentic_judge
