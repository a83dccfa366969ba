#include "calls.h"

// Replies of both protocols, streamed and not, over real HTTP.

namespace memuse::chat {
namespace {

using nlohmann::json;
using test::MockCall;
using test::MockEndpoint;
using test::MockForm;
using test::MockReply;

}  // namespace

TEST_CASE("endpoint: a text reply with its usage, in every protocol and mode") {
  MockEndpoint mock([](const json&, const MockCall&) {
    MockReply reply = test::mock_text("Räder, 車輪 and “wheels” — one line.\nAnd another.");
    reply.usage = test::MockUsage{1'000, 30, 600, 0};
    return reply;
  });
  for (const Way& way : kWays) {
    INFO(to_text(way));
    const ChatOutcome outcome = call(quick_options(mock, way.protocol, way.streaming));
    const ChatReply reply = reply_of(outcome);
    CHECK(reply.message.role == ChatRole::assistant);
    CHECK(reply.message.text == "Räder, 車輪 and “wheels” — one line.\nAnd another.");
    CHECK(reply.message.tool_calls.empty());
    CHECK(reply.finish == FinishReason::stop);
    CHECK(reply.usage.input == 1'000U);
    CHECK(reply.usage.cached_input == 600U);
    CHECK(reply.usage.output == 30U);
    CHECK(reply.model == "mock-model-1");
    CHECK(outcome.attempts == 1);
  }
}

TEST_CASE("endpoint: several tool calls, reasoning and text in one reply") {
  MockEndpoint mock([](const json&, const MockCall&) {
    MockReply reply = test::mock_tool_call("read_file", {{"file", "steps/0001"}, {"from", 12}});
    reply.tool_calls.push_back({"search", {{"pattern", "a “quoted” pattern that is longer than one delta"}}});
    reply.text = "Reading.";
    reply.reasoning = "The first step must be read before anything is said.";
    return reply;
  });
  for (const Way& way : kWays) {
    INFO(to_text(way));
    const ChatReply reply = reply_of(call(quick_options(mock, way.protocol, way.streaming), long_request()));
    CHECK(reply.message.text == "Reading.");
    CHECK(reply.reasoning == "The first step must be read before anything is said.");
    CHECK(reply.finish == FinishReason::tool_calls);
    REQUIRE(reply.message.tool_calls.size() == 2);
    CHECK(reply.message.tool_calls[0].name == "read_file");
    CHECK(json::parse(reply.message.tool_calls[0].arguments) == json{{"file", "steps/0001"}, {"from", 12}});
    CHECK(reply.message.tool_calls[1].name == "search");
    CHECK(json::parse(reply.message.tool_calls[1].arguments) ==
          json{{"pattern", "a “quoted” pattern that is longer than one delta"}});
    CHECK(reply.message.tool_calls[0].id != reply.message.tool_calls[1].id);
  }
}

}  // namespace memuse::chat
