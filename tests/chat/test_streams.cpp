#include "calls.h"
#include "chat/protocol.h"
#include "chat/sse.h"

// Streams as servers really send them, and as none should.

namespace memuse::chat {
namespace {

using nlohmann::json;

std::vector<std::string> events(std::string_view stream) {
  std::vector<std::string> all;
  read_events(stream, [&](const ServerSentEvent& event) {
    all.push_back(event.type + "|" + event.data);
    return true;
  });
  return all;
}

ReadReply openai(const std::string& stream, bool ended = true) {
  EndpointOptions options;
  return openai_form(options)->read_stream(stream, ended);
}

ReadReply anthropic(const std::string& stream) {
  EndpointOptions options;
  options.protocol = Protocol::anthropic;
  return anthropic_form(options)->read_stream(stream, true);
}

/// A chunk with deltas of tool calls.
std::string calls_chunk(const json& calls) {
  return "data: " + json{{"choices", {{{"index", 0}, {"delta", {{"tool_calls", calls}}}}}}}.dump() + "\n\n";
}
const std::string kEnd = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

std::string calls_of(const ReadReply& read) {
  INFO(read.fault);
  REQUIRE(read.reply);
  std::string all;
  for (const ToolCall& call : read.reply->message.tool_calls) {
    all += call.id + ":" + call.name + "(" + call.arguments + ") ";
  }
  return all;
}

}  // namespace

TEST_CASE("streams: events by the rules of server-sent events") {
  using Events = std::vector<std::string>;
  CHECK(events("data: a\n\ndata:b\r\n\r\ndata: c\r\rdata: d") == Events{"|a", "|b", "|c", "|d"});
  CHECK(events("\xEF\xBB\xBF: comment\nevent: x\nid: 7\nretry: 5\ndata: 1\ndata: 2\n\n") == Events{"x|1\n2"});
  CHECK(events("event: lonely\n\ndata\n\ndatum: no\n\n\n\ndata:  two\n\n") == Events{"|", "| two"});
  CHECK(events("").empty());
}

TEST_CASE("streams: tool calls by index, without index, and with one index for all") {
  CHECK(calls_of(openai(calls_chunk({{{"index", 0}, {"id", "a"}, {"function", {{"name", "f"}, {"arguments", ""}}}}}) +
                        calls_chunk({{{"index", 1}, {"id", "b"}, {"function", {{"name", "g"}, {"arguments", "{"}}}}}) +
                        calls_chunk({{{"index", 0}, {"function", {{"arguments", "{}"}}}},
                                     {{"index", 1}, {"function", {{"arguments", "}"}}}}}) +
                        kEnd)) == "a:f({}) b:g({}) ");
  CHECK(calls_of(openai(calls_chunk({{{"index", 0}, {"id", "a"}, {"function", {{"name", "f"}, {"arguments", "{}"}}}}}) +
                        calls_chunk({{{"index", 0}, {"id", "b"}, {"function", {{"name", "f"}, {"arguments", "{}"}}}}}) +
                        kEnd)) == "a:f({}) b:f({}) ");
  CHECK(calls_of(openai(calls_chunk({{{"id", "a"}, {"function", {{"name", "f"}, {"arguments", "{"}}}}}) +
                        calls_chunk({{{"function", {{"arguments", "}"}}}}}) +
                        calls_chunk({{{"function", {{"name", "g"}, {"arguments", {{"x", 1}}}}}}}) + kEnd)) ==
        "a:f({}) :g({\"x\":1}) ");
}

TEST_CASE("streams: calls without ids, or with the same one, get ids that the conversation does not have") {
  ChatRequest request = long_request();
  ChatMessage message;
  message.tool_calls = {{"", "f", "{}"}, {"same", "f", "{}"}, {"same", "f", "{}"}};
  name_calls(request, message);
  CHECK(message.tool_calls[0].id == "call-3");
  CHECK(message.tool_calls[1].id == "same");
  CHECK(message.tool_calls[2].id == "call-5");
}

TEST_CASE("streams: the end marker decides") {
  const std::string text = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
  const std::string finish = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n";
  CHECK(openai(text + kEnd).reply);
  CHECK(openai(text + kEnd, false).reply);
  CHECK_FALSE(openai(text).reply);
  // Some servers leave the marker out: then the response has to be whole.
  REQUIRE(openai(text + finish).reply);
  CHECK(openai(text + finish).reply->finish == FinishReason::length);
  CHECK_FALSE(openai(text + finish, false).reply);
  // Some say that they are done although the model was not.
  CHECK_FALSE(openai(text + "data: [DONE]\n\n").reply);
  CHECK_FALSE(openai("").reply);
  CHECK_FALSE(openai(text + "data: {\"error\":\"the model crashed\"}\n\n" + kEnd).reply);
  CHECK(openai(text + "data: {\"error\":\"the model crashed\"}\n\n").reported_error == "the model crashed");
}

TEST_CASE("streams: reasoning, refusals, usage and costs of other servers") {
  const ReadReply read = openai(
      "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}],\"usage\":null}\n\n"
      "data: "
      "{\"choices\":[{\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"!\"}]}"
      ","
      "{\"type\":\"text\",\"text\":\"so\"}]}}]}\n\n"
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":-4,\"prompt_cache_hit_tokens\":5,"
      "\"cost\":0.002}}\n\n" +
      kEnd);
  REQUIRE(read.reply);
  CHECK(read.reply->reasoning == "hm!");
  CHECK(read.reply->message.text == "so");
  CHECK(read.reply->usage == TokenUsage{9U, 5U, std::nullopt, std::nullopt, 0.002});
  CHECK(read.reply->model == "m");
  const ReadReply refused = openai("data: {\"choices\":[{\"delta\":{\"refusal\":\"I will not.\"}}]}\n\n" + kEnd);
  REQUIRE(refused.reply);
  CHECK(refused.reply->finish == FinishReason::refused);
  CHECK(refused.reply->message.text == "I will not.");
}

TEST_CASE("streams: hostile ones end in a fault, not in memory or a crash") {
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += calls_chunk({{{"index", i}, {"id", std::to_string(i)}}});
  CHECK(openai(many + kEnd).fault == "a reply with more than 256 tool calls");
  CHECK_FALSE(openai("data: " + std::string(100'000, '[') + "\n\n" + kEnd).reply);
  for (const char* odd :
       {"null", "[]", "5", "{\"choices\":5}", "{\"choices\":[5]}", "{\"choices\":[{\"delta\":7}]}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[1,null,[]],\"content\":{}}}]}", "{\"usage\":[]}"}) {
    INFO(odd);
    CHECK_NOTHROW(openai("data: " + std::string(odd) + "\n\n" + kEnd));
    CHECK_NOTHROW(anthropic("data: " + std::string(odd) + "\n\n"));
  }
}

TEST_CASE("streams: Anthropic events out of place, unknown ones, and the end") {
  const std::string start =
      "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":3,"
      "\"cache_read_input_tokens\":2,\"cache_creation_input_tokens\":4,\"output_tokens\":1}}}\n\n";
  const std::string block =
      "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\","
      "\"name\":\"list\",\"input\":{}}}\n\n"
      "data: {\"type\":\"an_event_of_the_future\"}\n\n";
  const std::string delta =
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":8}}\n\n";
  const std::string stop = "data: {\"type\":\"message_stop\"}\n\n";
  const ReadReply whole = anthropic(start + block + delta + stop);
  CHECK(calls_of(whole) == "t:list({}) ");
  CHECK(whole.reply->usage == TokenUsage{9U, 2U, 4U, 8U, std::nullopt});
  CHECK(whole.reply->finish == FinishReason::tool_calls);
  CHECK(whole.reply->message.as_received.is_null());
  CHECK_FALSE(anthropic(start + block + delta).reply);
  CHECK_FALSE(anthropic(start + block + stop).reply);
  CHECK_FALSE(
      anthropic(start + "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{}}\n\n" + delta + stop).reply);
  CHECK(anthropic("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
                  "\"Overloaded\"}}\n\n")
            .reported_error == "Overloaded (overloaded_error)");
}

TEST_CASE("streams: a tool call that was cut by the output limit keeps what the model wrote") {
  const std::string stream =
      "data: "
      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
      "data: "
      "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":"
      "\"f\",\"input\":{}}}\n\n"
      "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
      "\"{\\\"a\\\": \"}}\n\n"
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n"
      "data: {\"type\":\"message_stop\"}\n\n";
  const ReadReply read = anthropic(stream);
  CHECK(calls_of(read) == "t:f({\"a\": ) ");
  CHECK(read.reply->finish == FinishReason::length);
  // What goes back is an object, as the API wants.
  CHECK(read.reply->message.as_received[1]["input"] == json{{"unreadable_arguments", "{\"a\": "}});
}

}  // namespace memuse::chat
