#pragma once

#include <string>

#include "support/mock_endpoint.h"
#include "support/scripted_judge.h"

namespace memuse::test {

/// A scripted judge's move as what the mock endpoint answers.
inline MockReply mock_move(const JudgeMove& move) {
  MockReply reply;
  reply.text = move.text;
  // As text, so that the order of the arguments stays: the script knows its calls again by it.
  for (const JudgeCall& call : move.calls) reply.tool_calls.push_back({call.name, call.arguments.dump()});
  return reply;
}

/// The next reply of a careful judge behind an OpenAI endpoint: it reads every file whole and then gives all entries
/// the same labels.
inline MockReply careful_reply(const nlohmann::json& request,
                               const nlohmann::ordered_json& labels = nlohmann::ordered_json::object()) {
  const JudgeConversation conversation = conversation_in(request);
  ReadingHabit habit;
  habit.calls_in_reply = 64;
  return mock_move(reading_move(conversation, habit, same_answer(conversation, labels)));
}

/// True when the request is the one that the answer is given to: everything was read.
inline bool is_answered_by(const MockReply& reply) {
  return reply.tool_calls.size() == 1 && reply.tool_calls.front().name == "submit_answer";
}

}  // namespace memuse::test
