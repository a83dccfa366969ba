#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_message.h"

namespace memuse::agentic_judge {

/// `list_files`, `read_file`, `search` and `submit_answer` with the JSON Schemas of their arguments.
std::vector<chat::ToolSpec> judge_tools();

/// The first JSON object inside prose or a code fence; nothing when there is none that parses.
std::optional<std::string> json_object_in(std::string_view text);

}  // namespace memuse::agentic_judge
