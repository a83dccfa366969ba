#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_message.h"

namespace memuse::agentic_judge {

/// Name of the tool that hands in the answer.
inline constexpr std::string_view kSubmitAnswer = "submit_answer";

/// `list_files`, `read_file`, `search` and `submit_answer` with the JSON Schemas of their arguments.
std::vector<chat::ToolSpec> judge_tools();

/// The same as text, for models that are told about tools in words.
std::string tools_in_words();

/// The first JSON object inside prose or a code fence; nothing when there is none that parses.
std::optional<std::string> json_object_in(std::string_view text);

/// All of them, in their order, objects inside objects left out; at most `most`. Takes time linear in the text.
std::vector<std::string> json_objects_in(std::string_view text, std::size_t most);

}  // namespace memuse::agentic_judge
