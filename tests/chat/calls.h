#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "chat/endpoint.h"
#include "support/mock_endpoint.h"

namespace memuse::chat {

/// A protocol and how its replies come.
struct Way {
  Protocol protocol;
  bool streaming;
};
inline const std::vector<Way> kWays{
    {Protocol::openai, false}, {Protocol::openai, true}, {Protocol::anthropic, false}, {Protocol::anthropic, true}};

inline std::string to_text(const Way& way) {
  return std::string(name(way.protocol)) + (way.streaming ? ", streaming" : ", not streaming");
}

/// Options for a mock endpoint: short waits, so that tests are.
inline EndpointOptions quick_options(const test::MockEndpoint& mock, Protocol protocol = Protocol::openai,
                                     bool streaming = false) {
  EndpointOptions options;
  options.protocol = protocol;
  options.base_url = mock.base_url(protocol == Protocol::openai ? test::MockForm::openai : test::MockForm::anthropic);
  options.model = "some-model";
  options.key = "sk-secret-0123456789abcdef";
  options.streaming = streaming;
  options.connect_timeout = std::chrono::seconds(30);
  options.idle_timeout = std::chrono::seconds(30);
  options.retries = 2;
  options.first_backoff = std::chrono::milliseconds(5);
  options.longest_wait = std::chrono::milliseconds(40);
  options.jitter_seed = 7;
  return options;
}

/// A conversation of every kind of message, with two tools.
inline ChatRequest long_request() {
  ChatRequest request;
  request.messages.push_back({ChatRole::system, "You rate memories.", {}, "", nullptr});
  request.messages.push_back({ChatRole::user, "Rate the entry.", {}, "", nullptr});
  request.messages.push_back(
      {ChatRole::assistant,
       "I look at both files.",
       {{"id-1", "read_file", R"({"file":"task"})"}, {"id-2", "read_file", R"({"file":"target"})"}},
       "",
       nullptr});
  request.messages.push_back({ChatRole::tool, "the task", {}, "id-1", nullptr});
  request.messages.push_back({ChatRole::tool, "the target", {}, "id-2", nullptr});
  const nlohmann::json parameters{{"type", "object"}, {"properties", {{"file", {{"type", "string"}}}}}};
  request.tools = {{"read_file", "Shows a file.", parameters}, {"submit_answer", "Hands in.", parameters}};
  request.max_output_tokens = 500;
  return request;
}

inline ChatRequest short_request() {
  ChatRequest request;
  request.messages.push_back({ChatRole::user, "Say something.", {}, "", nullptr});
  return request;
}

const CallPlace kPlace{"0123456789abcdef0123456789abcdef", 3, 1};

inline ChatReply reply_of(const ChatOutcome& outcome) {
  INFO((outcome.error ? outcome.error->message : ""));
  REQUIRE(outcome.reply);
  REQUIRE_FALSE(outcome.error);
  return *outcome.reply;
}

inline ChatError error_of(const ChatOutcome& outcome) {
  REQUIRE_FALSE(outcome.reply);
  REQUIRE(outcome.error);
  return *outcome.error;
}

inline ChatOutcome call(const EndpointOptions& options, const ChatRequest& request = short_request()) {
  return connect(options)->complete(request, kPlace);
}

}  // namespace memuse::chat
