#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "agentic_judge/context_room.h"
#include "agentic_judge/conversation.h"

namespace memuse::agentic_judge {
namespace {

evidence::ToolResult page(const std::string& file, std::uint64_t begin, std::uint64_t end) {
  return {std::string(end - begin, 'x'), {{file, {begin, end}}}, false};
}

chat::ToolCall call(const std::string& id) {
  return {id, "read_file", "{}"};
}

/// Recounts what the conversation says of its size.
std::uint64_t counted(Conversation& conversation) {
  std::uint64_t bytes = 0;
  for (const chat::ChatMessage& message : conversation.request("").messages) bytes += 16 + message.text.size();
  return bytes;
}

}  // namespace

TEST_CASE("conversation: a result counts once, and only after it was sent") {
  Conversation conversation({}, "system", "first");
  CHECK(conversation.mark_sent().empty());
  conversation.add_result(call("a"), false, page("task", 0, 100));
  conversation.add_result(call("b"), true, page("target", 5, 10));
  const auto seen = conversation.mark_sent();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].file == "task");
  CHECK(seen[1].range == ByteRange{5, 10});
  CHECK(conversation.mark_sent().empty());

  const chat::ChatRequest& request = conversation.request("submit_answer");
  CHECK(request.forced_tool == "submit_answer");
  REQUIRE(request.messages.size() == 4);
  CHECK(request.messages[0].role == chat::ChatRole::system);
  CHECK(request.messages[2].role == chat::ChatRole::tool);
  CHECK(request.messages[2].tool_call_id == "a");
  CHECK(request.messages[3].role == chat::ChatRole::user);
  CHECK(request.messages[3].text == "Result of read_file:\nxxxxx");
}

TEST_CASE("conversation: room is made from the oldest results that were sent") {
  Conversation conversation({}, "system", "first");
  for (int i = 0; i < 4; ++i) conversation.add_result(call("c"), false, page("steps/000" + std::to_string(i), 0, 1000));
  conversation.mark_sent();
  conversation.add_result(call("new"), false, page("target", 0, 1000));
  CHECK(conversation.bytes() == counted(conversation));
  CHECK_FALSE(conversation.make_room(10'000, 1'000));

  CHECK(conversation.make_room(4'500, 4'400));
  CHECK(conversation.bytes() == counted(conversation));
  CHECK(conversation.bytes() <= 4'400);
  const auto& messages = conversation.request("").messages;
  CHECK(messages[2].text.find("It showed bytes 0-1000 of steps/0000") != std::string::npos);
  CHECK(messages[2].text.find("counts as read") != std::string::npos);
  CHECK(messages[3].text == std::string(1000, 'x'));
  CHECK(messages[6].text == std::string(1000, 'x'));
}

TEST_CASE("conversation: what was dropped before it was sent never counts") {
  Conversation conversation({}, "system", "first");
  conversation.add_result(call("a"), false, page("task", 0, 1000));
  conversation.add_result(call("b"), false, page("target", 0, 1000));
  CHECK(conversation.make_room(1'500, 1'000));
  const auto& messages = conversation.request("").messages;
  CHECK(messages[2].text == std::string(1000, 'x'));
  CHECK(messages[3].text.find("does not count as read") != std::string::npos);
  const auto seen = conversation.mark_sent();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].file == "task");
  // Nothing is left that could go.
  CHECK(conversation.make_room(10, 10));
  CHECK_FALSE(conversation.make_room(10, 10));
}

TEST_CASE("conversation: replies without content are not sent back, failed results are never dropped") {
  Conversation conversation({}, "system", "first");
  chat::ChatMessage empty;
  conversation.add_reply(empty);
  CHECK(conversation.request("").messages.size() == 2);
  conversation.add_result(call("a"), false, {std::string(1000, 'e'), {}, true});
  CHECK_FALSE(conversation.make_room(10, 10));
  CHECK(conversation.mark_sent().empty());
}

TEST_CASE("context room: four bytes a token at first, then what the endpoint counts, within reason") {
  Budget budget;
  budget.context_tokens = 10'000;
  budget.max_output_tokens = 2'000;
  ContextRoom room(budget);
  CHECK(room.most_bytes() == 32'000);
  room.learn(10'000, 5'000);
  CHECK(room.most_bytes() == 16'000);
  room.learn(100, 100'000);  // too little to learn from
  CHECK(room.most_bytes() == 16'000);
  room.learn(10'000, UINT64_MAX);
  CHECK(room.most_bytes() == 8'000);
  room.learn(10'000, 0);
  CHECK(room.most_bytes() == 80'000);
  room.was_too_long(20'000);
  CHECK(room.most_bytes() == 15'000);
  room.learn(10'000, 2'500);
  CHECK(room.most_bytes() == 15'000);

  budget.context_tokens = UINT64_MAX;
  CHECK(ContextRoom(budget).most_bytes() > 1'000'000'000);
}

}  // namespace memuse::agentic_judge
