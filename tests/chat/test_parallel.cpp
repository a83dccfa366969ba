#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include "calls.h"

// Many calls at a time: rate limits, stops, connections, proxies.

namespace memuse::chat {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using test::MockCall;
using test::MockEndpoint;
using test::MockReply;

/// Makes `calls` calls from each of `threads` threads; gives how many had a reply.
std::size_t call_from_threads(ChatModel& model, int threads, int calls) {
  std::atomic<std::size_t> replies{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < calls; ++i) replies += model.complete(short_request(), kPlace).reply ? 1U : 0U;
    });
  }
  for (std::thread& thread : all) thread.join();
  return replies;
}

}  // namespace

TEST_CASE("parallel: no more calls at a time than asked for, over connections that are used again") {
  MockEndpoint mock([](const json&, const MockCall&) {
    MockReply reply = test::mock_text("yes");
    reply.latency = milliseconds(3);
    return reply;
  });
  EndpointOptions options = quick_options(mock);
  options.parallel = 4;
  const auto model = connect(options);
  CHECK(call_from_threads(*model, 12, 10) == 120);
  CHECK(mock.largest_concurrency() <= 4);
  CHECK(mock.largest_concurrency() >= 2);
  std::set<int> connections;
  for (const test::MockRequest& request : mock.requests()) connections.insert(request.call.client_port);
  CHECK(connections.size() <= 4);
}

TEST_CASE("parallel: under a limit of concurrent requests every call has its reply, and most need no second try") {
  std::atomic<std::size_t> refused{0};
  MockEndpoint mock([&](const json&, const MockCall& got) {
    if (got.concurrent > 3) {
      ++refused;
      return test::mock_raw(429, "{}", "application/json");
    }
    MockReply reply = test::mock_text("yes");
    reply.latency = milliseconds(4);
    return reply;
  });
  EndpointOptions options = quick_options(mock);
  options.parallel = 16;
  options.retries = 12;
  const auto model = connect(options);
  CHECK(call_from_threads(*model, 16, 20) == 320);
  CHECK(refused > 0);
  // Sixteen threads that knew of no limit would be refused many times for each reply.
  CHECK(refused < 320);
}

TEST_CASE("parallel: a long Retry-After holds everybody back, and a stop lets everybody go") {
  std::atomic<bool> stop{false};
  MockEndpoint mock([](const json&, const MockCall&) {
    MockReply reply = test::mock_raw(429, "{}", "application/json");
    reply.headers["Retry-After"] = "3000";
    return reply;
  });
  EndpointOptions options = quick_options(mock);
  options.parallel = 2;
  options.longest_wait = std::chrono::hours(1);
  options.stop = &stop;
  std::atomic<int> waits{0};
  options.notice = [&](const std::string& notice) {
    waits += notice.find("trying again in 3000.0 s (retry 1 of 2)") != std::string::npos ? 1 : 1'000;
  };
  const auto model = connect(options);
  std::atomic<int> stopped{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      const ChatOutcome outcome = model->complete(short_request(), kPlace);
      stopped += outcome.error && outcome.error->fault == ChatFault::stopped ? 1 : 0;
    });
  }
  while (waits == 0) std::this_thread::sleep_for(milliseconds(2));
  std::this_thread::sleep_for(milliseconds(50));
  CHECK(mock.request_count() <= 2);
  CHECK(waits <= 2);
  CHECK(stopped == 0);
  const auto before = std::chrono::steady_clock::now();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(stopped == 10);
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(20));
}

TEST_CASE("parallel: a stop ends a call that waits for a silent socket") {
  std::atomic<bool> stop{false};
  MockEndpoint mock([&](const json&, const MockCall&) {
    stop = true;
    MockReply reply = test::mock_text("late");
    reply.fault = test::MockFault::silent_before_headers;
    return reply;
  });
  EndpointOptions options = quick_options(mock);
  options.idle_timeout = std::chrono::hours(1);
  options.stop = &stop;
  const ChatOutcome outcome = call(options);
  CHECK(error_of(outcome).fault == ChatFault::stopped);
  CHECK(outcome.attempts == 1);
}

TEST_CASE("parallel: the proxy of the environment is used, and no_proxy is honoured") {
  MockEndpoint proxy([](const json&, const MockCall&) { return test::mock_text("by proxy"); });
  EndpointOptions options = quick_options(proxy);
  options.base_url = "http://model.invalid/v1";
  ::setenv("http_proxy", proxy.origin().c_str(), 1);
  const ChatOutcome by_proxy = call(options);
  options.base_url = proxy.base_url();
  const ChatOutcome direct = call(options);
  ::unsetenv("http_proxy");
  CHECK(reply_of(by_proxy).message.text == "by proxy");
  REQUIRE(proxy.request_count() == 2);
  CHECK(proxy.requests()[0].call.path == "http://model.invalid/v1/chat/completions");
  CHECK(reply_of(direct).message.text == "by proxy");
  CHECK(proxy.requests()[1].call.path == "/v1/chat/completions");
}

}  // namespace memuse::chat
