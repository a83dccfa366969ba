#include <atomic>

#include "calls.h"

// Everything that can go wrong between an endpoint and a reply.

namespace memuse::chat {
namespace {

using nlohmann::json;
using test::MockCall;
using test::MockEndpoint;
using test::MockFault;
using test::MockForm;
using test::MockReply;

const std::string kText = "A reply that is long enough to be cut somewhere in the middle of what it says.";

/// A handler that spoils the first `count` replies.
test::MockHandler spoilt(std::size_t count, MockReply bad) {
  auto left = std::make_shared<std::atomic<std::size_t>>(count);
  return [left, bad](const json&, const MockCall&) {
    std::size_t now = left->load();
    while (now > 0 && !left->compare_exchange_weak(now, now - 1)) {
    }
    return now > 0 ? bad : test::mock_text(kText);
  };
}

/// `bad` once costs a retry and then gives the reply; `bad` for ever is `fault` after all retries.
void check_retried(const MockReply& bad, ChatFault fault, const std::string& words,
                   const std::vector<Way>& ways = kWays, std::chrono::milliseconds idle = std::chrono::seconds(30)) {
  for (const Way& way : ways) {
    INFO(to_text(way));
    MockEndpoint mock(spoilt(1, bad));
    EndpointOptions options = quick_options(mock, way.protocol, way.streaming);
    options.idle_timeout = idle;
    std::vector<std::string> notices;
    options.notice = [&](const std::string& notice) { notices.push_back(notice); };
    const ChatOutcome healed = call(options);
    CHECK(reply_of(healed).message.text == kText);
    CHECK(healed.attempts == 2);
    CHECK(mock.request_count() == 2);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].find("retry 1 of 2") != std::string::npos);

    mock.set_handler(spoilt(1'000, bad));
    options.retries = 1;
    const ChatOutcome lost = call(options);
    const ChatError error = error_of(lost);
    INFO(error.message);
    CHECK(error.fault == fault);
    CHECK(error.message.find(words) != std::string::npos);
    CHECK(error.message.find("after 2 tries") != std::string::npos);
    CHECK(lost.attempts == 2);
  }
}

/// `bad` ends the call at once.
void check_final(const MockReply& bad, ChatFault fault, const std::string& words) {
  for (const Way& way : kWays) {
    INFO(to_text(way));
    MockEndpoint mock(spoilt(1'000, bad));
    const ChatOutcome outcome = call(quick_options(mock, way.protocol, way.streaming));
    const ChatError error = error_of(outcome);
    INFO(error.message);
    CHECK(error.fault == fault);
    CHECK(error.message.find(words) != std::string::npos);
    CHECK(mock.request_count() == 1);
  }
}

MockReply with_fault(MockFault fault) {
  MockReply reply = test::mock_text(kText);
  reply.fault = fault;
  return reply;
}

}  // namespace

TEST_CASE("faults: rate limits, with and without Retry-After") {
  MockReply limited = test::mock_raw(429, R"({"error": {"message": "Slow down, please."}})", "application/json");
  check_retried(limited, ChatFault::rate_limited, "Slow down, please.");
  limited.headers["Retry-After"] = "0.02";
  check_retried(limited, ChatFault::rate_limited, "HTTP 429");
  // An hour, as seconds and as a date, is cut to the longest wait.
  limited.headers["Retry-After"] = "3600";
  check_retried(limited, ChatFault::rate_limited, "HTTP 429", {kWays[1]});
  limited.headers["Retry-After"] = "Wed, 21 Oct 2099 07:28:00 GMT";
  check_retried(limited, ChatFault::rate_limited, "HTTP 429", {kWays[2]});
}

TEST_CASE("faults: Retry-After is waited for") {
  MockReply limited = test::mock_raw(429, "{}", "application/json");
  limited.headers["Retry-After"] = "1";
  MockEndpoint mock(spoilt(1, limited));
  EndpointOptions options = quick_options(mock);
  options.longest_wait = std::chrono::seconds(60);
  reply_of(call(options));
  const auto requests = mock.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[1].arrived - requests[0].arrived >= std::chrono::milliseconds(1'000));
}

TEST_CASE("faults: server errors and storms of them") {
  check_retried(test::mock_raw(500, "oops", "text/plain"), ChatFault::unreachable, "HTTP 500: oops");
  check_retried(test::mock_raw(503, "", "text/plain"), ChatFault::unreachable, "HTTP 503: no text");
  check_retried(test::mock_raw(529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
                               "application/json"),
                ChatFault::unreachable, "Overloaded (overloaded_error)", {kWays[2], kWays[3]});
  for (const int status : {408, 409, 425, 502, 504}) {
    INFO(status);
    check_retried(test::mock_raw(status, R"({"detail": "not now"})", "application/json"), ChatFault::unreachable,
                  "not now", {kWays[0]});
  }
}

TEST_CASE("faults: dropped connections and truncated bodies") {
  check_retried(with_fault(MockFault::drop_before_headers), ChatFault::unreachable, "dropped");
  check_retried(with_fault(MockFault::drop_in_body), ChatFault::unreachable, "dropped");
  check_retried(with_fault(MockFault::truncated_stream), ChatFault::bad_reply, "ends before the reply does",
                {kWays[1], kWays[3]});
  check_retried(test::mock_raw(200, R"({"choices": [{"message": {"content": "half)", "application/json"),
                ChatFault::bad_reply, "invalid JSON");
  check_retried(with_fault(MockFault::no_http), ChatFault::bad_reply, "not HTTP", {kWays[0], kWays[3]});
}

TEST_CASE("faults: a socket that stays silent, before and after the headers") {
  const std::chrono::milliseconds idle(250);
  check_retried(with_fault(MockFault::silent_before_headers), ChatFault::unreachable, "no byte for 0.25 s",
                {kWays[0], kWays[3]}, idle);
  check_retried(with_fault(MockFault::silent_in_body), ChatFault::unreachable, "no byte for 0.25 s",
                {kWays[1], kWays[2]}, idle);
}

TEST_CASE("faults: slow bytes are no silence, but the whole call has an end") {
  for (const Way& way : {kWays[0], kWays[3]}) {
    INFO(to_text(way));
    std::string text;
    for (int i = 0; i < 10; ++i) text += kText + "\n";
    MockReply slow = test::mock_text(text);
    slow.interval = std::chrono::milliseconds(60);
    MockEndpoint mock([slow](const json&, const MockCall&) { return slow; });
    EndpointOptions options = quick_options(mock, way.protocol, way.streaming);
    options.idle_timeout = std::chrono::milliseconds(600);
    const auto before = std::chrono::steady_clock::now();
    const ChatOutcome outcome = call(options);
    // It took longer than any silence may.
    CHECK(std::chrono::steady_clock::now() - before > options.idle_timeout);
    CHECK(reply_of(outcome).message.text == text);
    CHECK(outcome.attempts == 1);
    options.call_timeout = std::chrono::milliseconds(50);
    options.retries = 0;
    CHECK(error_of(call(options)).message.find("no whole reply within 0.05 s") != std::string::npos);
  }
}

TEST_CASE("faults: a stream that came to its end counts, whatever the connection does then") {
  for (const MockFault fault : {MockFault::drop_in_body, MockFault::silent_in_body}) {
    const std::string whole =
        "data: {\"choices\":[{\"delta\":{\"content\":\"all of it\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    MockReply reply = test::mock_raw(200, whole + std::string(whole.size() + 2, '\n'), "text/event-stream");
    reply.fault = fault;
    MockEndpoint mock([reply](const json&, const MockCall&) { return reply; });
    EndpointOptions options = quick_options(mock, Protocol::openai, true);
    options.idle_timeout = std::chrono::milliseconds(80);
    const ChatOutcome outcome = call(options);
    CHECK(reply_of(outcome).message.text == "all of it");
    CHECK(outcome.attempts == 1);
  }
}

TEST_CASE("faults: invalid UTF-8 and lone surrogates become replacement characters") {
  for (const Way& way : kWays) {
    INFO(to_text(way));
    MockEndpoint mock([](const json&, const MockCall&) {
      MockReply reply = test::mock_tool_call("search", {{"pattern", "@a@"}});
      reply.text = "@a@ @b@ @c@";
      reply.reasoning = "@a@";
      reply.model = "@a@";
      reply.replace = {{"@a@", "\xff"}, {"@b@", "\\udc00\\ud83d"}, {"@c@", "\\ud83d\\ude00"}};
      return reply;
    });
    const ChatReply reply = reply_of(call(quick_options(mock, way.protocol, way.streaming)));
    CHECK(reply.message.text == "\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD \xF0\x9F\x98\x80");
    CHECK(reply.reasoning == "\xEF\xBF\xBD");
    CHECK(json::parse(reply.message.tool_calls.at(0).arguments) == json{{"pattern", "\xEF\xBF\xBD"}});
    CHECK_NOTHROW(to_json(reply).dump());
  }
}

TEST_CASE("faults: a reply of 50 MB is refused without being kept, and is not paid for again") {
  for (const Way& way : {kWays[1], kWays[2]}) {
    INFO(to_text(way));
    MockEndpoint mock([](const json&, const MockCall&) {
      return test::mock_raw(200, std::string(std::size_t{50} << 20, ' '), "application/json");
    });
    EndpointOptions options = quick_options(mock, way.protocol, way.streaming);
    options.max_reply_bytes = std::uint64_t{1} << 20;
    const ChatError error = error_of(call(options));
    CHECK(error.fault == ChatFault::too_large);
    CHECK(error.message.find("larger than 1048576 bytes") != std::string::npos);
    CHECK(mock.request_count() == 1);
  }
}

TEST_CASE("faults: pages, other content types and other JSON are no replies") {
  const std::string page = "<!DOCTYPE html><html><title>Sign in to the network</title></html>";
  check_retried(test::mock_raw(200, page, "text/html"), ChatFault::bad_reply, "“Sign in to the network”");
  check_retried(test::mock_raw(502, page, "text/html"), ChatFault::unreachable, "HTTP 502: an HTML page");
  check_retried(test::mock_raw(200, "fine, thanks", "text/plain"), ChatFault::bad_reply, "content type text/plain");
  check_retried(test::mock_raw(200, "", "application/json"), ChatFault::bad_reply, "an empty text");
  check_retried(test::mock_raw(200, "{}", "application/json"), ChatFault::bad_reply, "a reply without");
  check_retried(test::mock_raw(200, "[[]]", "application/json"), ChatFault::bad_reply, "a reply without");
  check_retried(test::mock_raw(200, R"({"choices": []})", "application/json"), ChatFault::bad_reply, "without choices",
                {kWays[0], kWays[1]});
  check_retried(test::mock_raw(200, std::string(50'000, '['), "application/json"), ChatFault::bad_reply, "100 levels");
  check_retried(
      test::mock_raw(200, R"({"error": {"message": "upstream failed", "type": "api_error"}})", "application/json"),
      ChatFault::bad_reply, "upstream failed");
  check_retried(test::mock_raw(200, "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
                               "text/event-stream"),
                ChatFault::bad_reply, "overloaded_error", {kWays[1], kWays[3]});
  check_retried(test::mock_raw(200, "data: what is this\n\n", "text/event-stream"), ChatFault::bad_reply,
                "invalid JSON in the stream", {kWays[1], kWays[3]});
}

TEST_CASE("faults: refusals end the call at once, with the endpoint's words and advice") {
  const auto refusal = [](int status, const std::string& message, const std::string& code = "some_code") {
    return test::mock_raw(status, json{{"error", {{"message", message}, {"code", code}}}}.dump(), "application/json");
  };
  check_final(refusal(401, "Who are you?"), ChatFault::refused_key, "--key-file");
  check_final(refusal(403, "Not in your region."), ChatFault::refused_key, "Not in your region.");
  check_final(refusal(402, "Insufficient balance"), ChatFault::refused_key, "no credit");
  check_final(refusal(429, "You exceeded your quota", "insufficient_quota"), ChatFault::refused_key, "no credit");
  check_final(refusal(400, "bad request"), ChatFault::refused_request, "bad request (some_code)");
  check_final(refusal(400, "this model does not support tools"), ChatFault::refused_request, "--tool-protocol json");
  check_final(refusal(400, "max_tokens is too large: 32768"), ChatFault::refused_request, "fewer output tokens");
  check_final(refusal(404, "no such model"), ChatFault::refused_request, "check --model");
  check_final(refusal(422, "unprocessable"), ChatFault::refused_request, "unprocessable");
}

TEST_CASE("faults: a conversation that is too long is known by what endpoints say") {
  const auto says = [](int status, const std::string& message, const std::string& code = "invalid_request_error") {
    return test::mock_raw(status, json{{"error", {{"message", message}, {"code", code}}}}.dump(), "application/json");
  };
  for (const MockReply& reply :
       {says(400, "Too much.", "context_length_exceeded"),
        says(400, "This model's maximum context length is 8192 tokens."),
        says(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        says(400, "input length and `max_tokens` exceed context limit: 190000 + 32768 > 200000"),
        says(400, "the request exceeds the available context size"), says(413, "Request too large"),
        says(500, "the prompt exceeds the context size of the server")}) {
    INFO(*reply.raw_body);
    check_final(reply, ChatFault::context_too_long, "too long for the model");
  }
}

TEST_CASE("faults: a redirect to another host is not followed, and names the host alone") {
  MockEndpoint other([](const json&, const MockCall&) { return test::mock_text("stolen"); });
  for (const int status : {301, 302, 303, 307, 308}) {
    MockReply redirect = test::mock_raw(status, "", "text/html");
    redirect.headers["Location"] =
        "http://someone:password@127.0.0.1:" + std::to_string(other.port()) + "/v1?token=1234";
    check_final(redirect, ChatFault::refused_request, "redirects to 127.0.0.1,");
    MockEndpoint mock(spoilt(1'000, redirect));
    const std::string message = error_of(call(quick_options(mock))).message;
    CHECK(message.find("password") == std::string::npos);
    CHECK(message.find("1234") == std::string::npos);
  }
  CHECK(other.request_count() == 0);
}

TEST_CASE("faults: certificates are verified") {
  MockEndpoint good([](const json&, const MockCall&) { return test::mock_text("safe"); }, test::MockTls::valid);
  EndpointOptions options = quick_options(good);
  const ChatOutcome unknown = call(options);
  CHECK(error_of(unknown).fault == ChatFault::unreachable);
  CHECK(error_of(unknown).message.find("--ca-file") != std::string::npos);
  CHECK(unknown.attempts == 1);
  CHECK(good.request_count() == 0);
  options.ca_file = good.ca_file();
  CHECK(reply_of(call(options)).message.text == "safe");
  options.ca_file = "/nowhere/ca.pem";
  CHECK(error_of(call(options)).fault == ChatFault::unreachable);

  MockEndpoint expired([](const json&, const MockCall&) { return test::mock_text("unsafe"); }, test::MockTls::expired);
  for (const Way& way : kWays) {
    EndpointOptions to_expired = quick_options(expired, way.protocol, way.streaming);
    to_expired.ca_file = expired.ca_file();
    const ChatOutcome outcome = call(to_expired);
    INFO(error_of(outcome).message);
    CHECK(error_of(outcome).message.find("expired") != std::string::npos);
    CHECK(outcome.attempts == 1);
  }
  CHECK(expired.request_count() == 0);
}

TEST_CASE("faults: nobody listens, no such host") {
  EndpointOptions options;
  {
    MockEndpoint gone([](const json&, const MockCall&) { return test::mock_text("?"); });
    options = quick_options(gone);
  }
  const ChatOutcome outcome = call(options);
  CHECK(error_of(outcome).fault == ChatFault::unreachable);
  CHECK(error_of(outcome).message.find("no connection") != std::string::npos);
  CHECK(outcome.attempts == 3);
}

TEST_CASE("faults: the key is in no message, notice or reply, however an endpoint echoes it") {
  const std::string key = "sk-secret-0123456789abcdef";
  const std::string base64 = "c2stc2VjcmV0LTAxMjM0NTY3ODlhYmNkZWY";
  const std::vector<std::string> echoes{key,
                                        "Bearer " + key,
                                        std::string(280, 'x') + " " + key + " " + key,
                                        std::string(390, 'y') + key,
                                        base64,
                                        "\\u0073k-secret-0123456789abcdef"};
  for (const Way& way : kWays) {
    for (const std::string& echo : echoes) {
      for (const int status : {200, 302, 400, 401, 429, 500}) {
        INFO(to_text(way) << " " << status << " " << echo);
        MockEndpoint mock([&](const json&, const MockCall&) {
          MockReply reply = test::mock_raw(status, R"({"error": {"message": ")" + echo + R"("}})", "application/json");
          reply.headers["Location"] = "https://" + key + ".example.com/" + key;
          return reply;
        });
        EndpointOptions options = quick_options(mock, way.protocol, way.streaming);
        options.first_backoff = std::chrono::milliseconds(0);
        options.longest_wait = std::chrono::milliseconds(1);
        options.retries = 1;
        std::string all;
        options.notice = [&](const std::string& notice) { all += notice; };
        all += error_of(call(options)).message;
        CHECK(all.find("secret") == std::string::npos);
        CHECK(all.find("c2Vj") == std::string::npos);
        CHECK(all.find("0123456789") == std::string::npos);
      }
    }
    MockEndpoint mock([&](const json&, const MockCall&) {
      MockReply reply = test::mock_tool_call("read_file", {{"file", key}, {key, json::array({key})}});
      reply.text = reply.reasoning = reply.model = "the key is " + key;
      reply.tool_calls[0].id = key;
      return reply;
    });
    const ChatReply reply = reply_of(call(quick_options(mock, way.protocol, way.streaming)));
    CHECK(to_json(reply).dump().find("secret") == std::string::npos);
    CHECK(reply.message.text == "the key is [key]");
  }
  // In a header it would be in every log line of the endpoint, in an address in every proxy's: nowhere but there.
  MockEndpoint mock([](const json&, const MockCall&) { return test::mock_text("yes"); });
  reply_of(call(quick_options(mock)));
  CHECK(mock.requests()[0].raw_body.find("secret") == std::string::npos);
  CHECK(mock.requests()[0].call.path.find("secret") == std::string::npos);
}

TEST_CASE("faults: messages hold no control characters and are short") {
  MockEndpoint mock([](const json&, const MockCall&) {
    return test::mock_raw(400, "\x1b[2J\x07 \xe2\x80\xae" + std::string(100'000, 'z') + "\n\n\xff", "text/plain");
  });
  const std::string message = error_of(call(quick_options(mock))).message;
  CHECK(message.size() < 1'000);
  for (const char c : message) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
  CHECK(message.find("\xe2\x80\xae") == std::string::npos);
}

}  // namespace memuse::chat
