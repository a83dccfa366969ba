#include <catch2/catch.hpp>
#include <string>

#include "agentic_judge/model_turn.h"

namespace memuse::agentic_judge {
namespace {

chat::ChatMessage says(std::string text) {
  chat::ChatMessage message;
  message.role = chat::ChatRole::assistant;
  message.text = std::move(text);
  return message;
}

}  // namespace

TEST_CASE("model turn: native calls are taken as they are, text beside them is no call") {
  chat::ChatMessage reply = says(R"(I read. {"entries": []})");
  reply.tool_calls = {{"c1", "read_file", R"({"file": "task"})"}, {"c2", "submit_answer", "{"}};
  const ModelTurn turn = read_turn(reply, ToolProtocol::native);
  CHECK(turn.calls == reply.tool_calls);
  CHECK_FALSE(turn.by_message);
  CHECK(turn.complaint.empty());
  CHECK_FALSE(arguments_are_whole(turn));
}

TEST_CASE("model turn: an answer in the text of a native reply is an answer") {
  const ModelTurn turn =
      read_turn(says("My notes {\"step\": 3}. The answer:\n```json\n{\"entries\": [ ]}\n```"), ToolProtocol::native);
  REQUIRE(turn.calls.size() == 1);
  CHECK(turn.calls[0].name == "submit_answer");
  CHECK(turn.calls[0].arguments == "{\"entries\": [ ]}");
  CHECK(turn.by_message);
  CHECK(arguments_are_whole(turn));
  CHECK(read_turn(says("I think it helped."), ToolProtocol::native).complaint.find("called no tool") !=
        std::string::npos);
  CHECK(read_turn(says(R"({"tool": "read_file", "arguments": {}})"), ToolProtocol::native).calls.empty());
}

TEST_CASE("model turn: the JSON protocol, prose around it tolerated") {
  const ModelTurn turn = read_turn(
      says(R"(Next I read the task: {"tool": "read_file", "arguments": {"file": "task", "from": 0}} and go on.)"),
      ToolProtocol::json);
  REQUIRE(turn.calls.size() == 1);
  CHECK(turn.calls[0].name == "read_file");
  CHECK(turn.calls[0].arguments == R"({"file":"task","from":0})");
  CHECK(turn.by_message);

  const ModelTurn bare = read_turn(says(R"({"entries": []})"), ToolProtocol::json);
  REQUIRE(bare.calls.size() == 1);
  CHECK(bare.calls[0].name == "submit_answer");
  const ModelTurn without = read_turn(says(R"({"tool": "list_files"})"), ToolProtocol::json);
  REQUIRE(without.calls.size() == 1);
  CHECK(without.calls[0].arguments == "{}");
}

TEST_CASE("model turn: what is no call of the JSON protocol is answered with what it should be") {
  const auto complaint = [](std::string text) {
    const ModelTurn turn = read_turn(says(std::move(text)), ToolProtocol::json);
    CHECK(turn.calls.empty());
    CHECK(turn.complaint.find(R"({"tool": "…", "arguments": {…}})") != std::string::npos);
    return turn.complaint;
  };
  CHECK(complaint("I would read the task.").find("no JSON object") != std::string::npos);
  CHECK(complaint("").find("no JSON object") != std::string::npos);
  CHECK(complaint(R"({"name": "read_file"})").find("without the name of a tool") != std::string::npos);
  CHECK(complaint(R"({"tool": 3})").find("without the name of a tool") != std::string::npos);
  CHECK(complaint(R"({"tool": "search", "pattern": "x"})").find("field \"pattern\"") != std::string::npos);
  CHECK(complaint(R"({"tool": "search", "tool": "read_file"})").find("\"tool\" stands twice") != std::string::npos);
}

}  // namespace memuse::agentic_judge
