#include <atomic>
#include <thread>

#include "calls.h"

// The JSON of requests, compared with what the public documentation of both protocols says.

namespace memuse::chat {
namespace {

using nlohmann::json;
using test::MockCall;
using test::MockEndpoint;
using test::MockForm;

/// The request that an endpoint gets.
test::MockRequest sent(const ChatRequest& request, Protocol protocol, bool streaming = false) {
  MockEndpoint mock([](const json&, const MockCall&) { return test::mock_text("yes"); });
  reply_of(call(quick_options(mock, protocol, streaming), request));
  REQUIRE(mock.request_count() == 1);
  return mock.requests().front();
}

}  // namespace

TEST_CASE("request: chat completions with tools") {
  ChatRequest request = long_request();
  request.temperature = 0.5;
  request.seed = 42;
  const test::MockRequest got = sent(request, Protocol::openai);
  CHECK(got.call.path == "/v1/chat/completions");
  CHECK(got.call.headers.at("authorization") == "Bearer sk-secret-0123456789abcdef");
  CHECK(got.call.headers.at("content-type") == "application/json");
  const json parameters{{"type", "object"}, {"properties", {{"file", {{"type", "string"}}}}}};
  const json expected = json::parse(R"({
    "model": "some-model", "stream": false, "max_tokens": 500, "temperature": 0.5, "seed": 42, "tool_choice": "auto",
    "messages": [
      {"role": "system", "content": "You rate memories."},
      {"role": "user", "content": "Rate the entry."},
      {"role": "assistant", "content": "I look at both files.", "tool_calls": [
        {"id": "id-1", "type": "function", "function": {"name": "read_file", "arguments": "{\"file\":\"task\"}"}},
        {"id": "id-2", "type": "function", "function": {"name": "read_file", "arguments": "{\"file\":\"target\"}"}}]},
      {"role": "tool", "tool_call_id": "id-1", "content": "the task"},
      {"role": "tool", "tool_call_id": "id-2", "content": "the target"}],
    "tools": [
      {"type": "function", "function": {"name": "read_file", "description": "Shows a file.", "parameters": {}}},
      {"type": "function", "function": {"name": "submit_answer", "description": "Hands in.", "parameters": {}}}]})");
  json filled = expected;
  for (json& tool : filled["tools"]) tool["function"]["parameters"] = parameters;
  CHECK(got.body == filled);
}

TEST_CASE("request: chat completions streamed, with a forced tool, and plain") {
  ChatRequest request = long_request();
  request.forced_tool = "submit_answer";
  const json forced = sent(request, Protocol::openai, true).body;
  CHECK(forced["tool_choice"] == json::parse(R"({"type": "function", "function": {"name": "submit_answer"}})"));
  CHECK(forced["stream"] == true);
  CHECK(forced["stream_options"] == json::parse(R"({"include_usage": true})"));
  CHECK_FALSE(forced.contains("temperature"));
  CHECK_FALSE(forced.contains("seed"));

  const json plain = sent(short_request(), Protocol::openai).body;
  CHECK_FALSE(plain.contains("tools"));
  CHECK_FALSE(plain.contains("tool_choice"));
  CHECK_FALSE(plain.contains("stream_options"));
}

TEST_CASE("request: Anthropic messages") {
  ChatRequest request = long_request();
  request.messages.push_back({ChatRole::user, "And now the answer.", {}, "", nullptr});
  request.temperature = 0.0;
  request.forced_tool = "submit_answer";
  const test::MockRequest got = sent(request, Protocol::anthropic, true);
  CHECK(got.call.path == "/v1/messages");
  CHECK(got.call.headers.at("x-api-key") == "sk-secret-0123456789abcdef");
  CHECK(got.call.headers.at("anthropic-version") == "2023-06-01");
  CHECK(got.call.headers.count("authorization") == 0);
  json expected = json::parse(R"({
    "model": "some-model", "stream": true, "max_tokens": 500, "temperature": 0.0,
    "tool_choice": {"type": "tool", "name": "submit_answer"},
    "system": [{"type": "text", "text": "You rate memories.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
      {"role": "user", "content": [{"type": "text", "text": "Rate the entry."}]},
      {"role": "assistant", "content": [
        {"type": "text", "text": "I look at both files."},
        {"type": "tool_use", "id": "id-1", "name": "read_file", "input": {"file": "task"}},
        {"type": "tool_use", "id": "id-2", "name": "read_file", "input": {"file": "target"}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "id-1", "content": "the task"},
        {"type": "tool_result", "tool_use_id": "id-2", "content": "the target"},
        {"type": "text", "text": "And now the answer.", "cache_control": {"type": "ephemeral"}}]}],
    "tools": [
      {"name": "read_file", "description": "Shows a file."},
      {"name": "submit_answer", "description": "Hands in."}]})");
  for (json& tool : expected["tools"]) {
    tool["input_schema"] = json::parse(R"({"type": "object", "properties": {"file": {"type": "string"}}})");
  }
  CHECK(got.body == expected);
}

TEST_CASE("request: no key, no header; base URLs with and without version and slash") {
  MockEndpoint mock([](const json&, const MockCall&) { return test::mock_text("yes"); });
  const auto path_for = [&](Protocol protocol, const std::string& base) {
    EndpointOptions options = quick_options(mock, protocol);
    options.key = "";
    options.base_url = mock.origin() + base;
    reply_of(call(options));
    const test::MockRequest last = mock.requests().back();
    CHECK(last.call.headers.count("authorization") == 0);
    CHECK(last.call.headers.count("x-api-key") == 0);
    return last.call.path;
  };
  CHECK(path_for(Protocol::openai, "/v1") == "/v1/chat/completions");
  CHECK(path_for(Protocol::openai, "/v1/") == "/v1/chat/completions");
  CHECK(path_for(Protocol::openai, "") == "/chat/completions");
  CHECK(path_for(Protocol::openai, "/api/openai//") == "/api/openai/chat/completions");
  CHECK(path_for(Protocol::anthropic, "") == "/v1/messages");
  CHECK(path_for(Protocol::anthropic, "/") == "/v1/messages");
  CHECK(path_for(Protocol::anthropic, "/v1/") == "/v1/messages");
  CHECK(path_for(Protocol::anthropic, "/gateway") == "/gateway/v1/messages");
}

TEST_CASE("request: arguments that are no JSON object go back in one, empty messages not to Anthropic") {
  ChatRequest request = short_request();
  request.messages.push_back({ChatRole::assistant, " \n", {}, "", nullptr});
  request.messages.push_back({ChatRole::user, "Go on.", {}, "", nullptr});
  request.messages.push_back({ChatRole::assistant,
                              "",
                              {{"a", "search", "{\"pattern\": \"x"}, {"b", "search", "[1]"}, {"c", "list", ""}},
                              "",
                              nullptr});
  for (const char* id : {"a", "b", "c"}) request.messages.push_back({ChatRole::tool, "", {}, id, nullptr});

  const json openai = sent(request, Protocol::openai).body;
  const json& calls = openai["messages"][3]["tool_calls"];
  CHECK(openai["messages"][3]["content"].is_null());
  CHECK(json::parse(calls[0]["function"]["arguments"].get<std::string>()) ==
        json{{"unreadable_arguments", "{\"pattern\": \"x"}});
  CHECK(json::parse(calls[1]["function"]["arguments"].get<std::string>()) == json{{"unreadable_arguments", "[1]"}});
  CHECK(calls[2]["function"]["arguments"] == "{}");

  const json anthropic = sent(request, Protocol::anthropic).body;
  REQUIRE(anthropic["messages"].size() == 3);
  CHECK(anthropic["messages"][0]["content"].size() == 2);
  CHECK(anthropic["messages"][1]["content"][0]["input"] == json{{"unreadable_arguments", "{\"pattern\": \"x"}});
  CHECK(anthropic["messages"][1]["content"][2]["input"] == json::object());
  CHECK(anthropic["messages"][2]["content"].size() == 3);
}

TEST_CASE("request: signed reasoning goes back unchanged") {
  MockEndpoint mock([](const json&, const MockCall&) {
    test::MockReply reply = test::mock_tool_call("read_file", {{"file", "task"}});
    reply.reasoning = "Long and signed reasoning, in several deltas.";
    reply.text = "Reading.";
    return reply;
  });
  for (const bool streaming : {false, true}) {
    INFO(streaming);
    const auto model = connect(quick_options(mock, Protocol::anthropic, streaming));
    ChatRequest request = short_request();
    const ChatReply reply = reply_of(model->complete(request, kPlace));
    const json expected = json::array({{{"type", "thinking"},
                                        {"thinking", "Long and signed reasoning, in several deltas."},
                                        {"signature", "signed-by-mock"}},
                                       {{"type", "text"}, {"text", "Reading."}},
                                       {{"type", "tool_use"},
                                        {"id", reply.message.tool_calls.at(0).id},
                                        {"name", "read_file"},
                                        {"input", {{"file", "task"}}}}});
    CHECK(reply.message.as_received == expected);
    request.messages.push_back(reply.message);
    request.messages.push_back({ChatRole::tool, "the task", {}, reply.message.tool_calls[0].id, nullptr});
    reply_of(model->complete(request, kPlace));
    CHECK(mock.requests().back().body["messages"][1]["content"] == expected);
  }
  // Plain reasoning of the OpenAI form is not sent back.
  const auto model = connect(quick_options(mock, Protocol::openai));
  ChatRequest request = short_request();
  request.messages.push_back(reply_of(model->complete(request, kPlace)).message);
  reply_of(model->complete(request, kPlace));
  CHECK(mock.requests().back().raw_body.find("Long and signed") == std::string::npos);
}

TEST_CASE("request: invalid UTF-8 in a conversation is replaced, never an exception") {
  ChatRequest request = short_request();
  request.messages[0].text = "before \xff\xfe after";
  for (const Protocol protocol : {Protocol::openai, Protocol::anthropic}) {
    const json body = sent(request, protocol).body;
    CHECK(body.dump().find("before \xEF\xBF\xBD") != std::string::npos);
  }
}

TEST_CASE("request: an endpoint that wants max_completion_tokens gets it, from the second request on") {
  MockEndpoint mock([](const json& request, const MockCall& got) {
    if (!request.contains("max_tokens")) return test::mock_text("yes");
    return test::mock_error(got.form, 400,
                            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                            "'max_completion_tokens' instead.",
                            "unsupported_parameter");
  });
  EndpointOptions options = quick_options(mock);
  options.retries = 0;
  std::vector<std::string> notices;
  options.notice = [&](const std::string& notice) { notices.push_back(notice); };
  const auto model = connect(options);
  CHECK(model->complete(short_request(), kPlace).attempts == 2);
  CHECK(model->complete(short_request(), kPlace).attempts == 1);
  CHECK(mock.requests().back().body["max_completion_tokens"] == 32'768);
  CHECK(notices.size() == 1);
}

TEST_CASE("request: many calls that are refused together learn together") {
  MockEndpoint mock([](const json& request, const MockCall& got) {
    test::MockReply refusal = test::mock_error(got.form, 400, "use max_completion_tokens");
    refusal.latency = std::chrono::milliseconds(30);
    return request.contains("max_tokens") ? refusal : test::mock_text("yes");
  });
  EndpointOptions options = quick_options(mock);
  options.retries = 0;
  options.parallel = 8;
  const auto model = connect(options);
  std::atomic<int> replies{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { replies += model->complete(short_request(), kPlace).reply ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(replies == 8);
}

TEST_CASE("request: what an endpoint refuses is made otherwise only where the meaning stays") {
  MockEndpoint mock([](const json& request, const MockCall& got) {
    if (request.contains("stream_options")) return test::mock_error(got.form, 400, "unknown field stream_options");
    if (request["tool_choice"].is_object()) return test::mock_error(got.form, 422, "tool_choice must be a string");
    return test::mock_tool_call("submit_answer", json::object());
  });
  ChatRequest request = long_request();
  request.forced_tool = "submit_answer";
  const ChatOutcome outcome = call(quick_options(mock, Protocol::openai, true), request);
  reply_of(outcome);
  CHECK(outcome.attempts == 3);
  const json last = mock.requests().back().body;
  CHECK(last["tool_choice"] == "required");
  REQUIRE(last["tools"].size() == 1);
  CHECK(last["tools"][0]["function"]["name"] == "submit_answer");
}

TEST_CASE("request: a refused temperature or seed is an error that says what to do") {
  MockEndpoint mock([](const json& request, const MockCall& got) {
    const char* what = request.contains("temperature") ? "temperature" : "seed";
    return test::mock_error(got.form, 400, std::string("Unsupported value: '") + what + "' does not support 0.5.",
                            "unsupported_value");
  });
  ChatRequest request = short_request();
  request.temperature = 0.5;
  const ChatOutcome outcome = call(quick_options(mock), request);
  CHECK(error_of(outcome).fault == ChatFault::refused_request);
  CHECK(error_of(outcome).message.find("without --temperature") != std::string::npos);
  CHECK(outcome.attempts == 1);
  request.temperature.reset();
  request.seed = 1;
  CHECK(error_of(call(quick_options(mock), request)).message.find("without --model-seed") != std::string::npos);
  CHECK(mock.request_count() == 2);

  const ChatOutcome anthropic = call(quick_options(mock, Protocol::anthropic), request);
  CHECK(error_of(anthropic).fault == ChatFault::refused_request);
  CHECK(error_of(anthropic).message.find("--model-seed") != std::string::npos);
  CHECK(anthropic.attempts == 0);
  CHECK(mock.request_count() == 2);
}

}  // namespace memuse::chat
