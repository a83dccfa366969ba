#pragma once

#include <string>
#include <vector>

#include "agentic_judge/span_judge.h"
#include "chat/chat_message.h"

namespace memuse::agentic_judge {

/// What a model asked for in one reply.
struct ModelTurn {
  std::vector<chat::ToolCall> calls;  ///< in their order; an answer given as text is a call of `submit_answer`
  bool by_message = false;            ///< the calls stood in the text, so their results go back as user messages
  std::string complaint;              ///< what to tell a model that called nothing; empty when there are calls
};

/// Finds the calls of a reply, in the endpoint's form or in its text.
ModelTurn read_turn(const chat::ChatMessage& reply, ToolProtocol protocol);

/// True when all arguments are JSON objects: a reply that was cut off in a call is not.
bool arguments_are_whole(const ModelTurn& turn);

}  // namespace memuse::agentic_judge
