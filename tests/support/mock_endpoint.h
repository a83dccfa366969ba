#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A chat endpoint for tests: a real HTTP server on 127.0.0.1 that speaks the OpenAI and the Anthropic form and answers
// as a function of the test says. No Catch in here: other processes may be its clients while the test waits for them.

namespace memuse::test {

enum class MockForm : std::uint8_t { openai, anthropic };

/// What is known of a request when it is answered.
struct MockCall {
  std::size_t number = 0;      ///< 1-based, in the order of arrival
  std::size_t concurrent = 0;  ///< requests in work at its arrival, itself included
  MockForm form = MockForm::openai;
  bool streaming = false;                      ///< the request asked for a stream
  std::string path;                            ///< as in the request line
  int client_port = 0;                         ///< the same for all requests of a connection
  std::map<std::string, std::string> headers;  ///< names in lower case
};

/// A request of the log.
struct MockRequest {
  MockCall call;
  nlohmann::json body;  ///< null when it was no JSON
  std::string raw_body;
  std::chrono::steady_clock::time_point arrived;
};

struct MockToolCall {
  std::string name;
  nlohmann::json arguments;    ///< a string is sent as it stands, so broken JSON can be sent
  std::string id = "default";  ///< `default`: a fresh one is made; empty: none is sent (OpenAI form)
};

struct MockUsage {
  std::uint64_t input = 100;  ///< all input tokens, cached ones included
  std::uint64_t output = 20;
  std::uint64_t cached = 0;
  std::uint64_t cache_write = 0;  ///< Anthropic form only
};

/// How the reply is spoilt on its way.
enum class MockFault : std::uint8_t {
  none,
  drop_before_headers,    ///< the connection ends without a byte
  drop_in_body,           ///< the connection ends in the middle of the body
  silent_before_headers,  ///< not a byte, until the client goes or `silence` is over
  silent_in_body,         ///< headers and half of the body, then the same
  truncated_stream,       ///< a stream that ends well-formed as HTTP, but in the middle of the reply
  no_http                 ///< bytes that are no HTTP
};

/// What is answered. As it stands, the default is a text reply in the form of the request, streamed if it was asked so.
struct MockReply {
  std::string text;
  std::string reasoning;  ///< `reasoning_content`, or a signed thinking block
  std::vector<MockToolCall> tool_calls;
  std::string finish;  ///< in the words of the form; empty: what goes with text or tool calls
  std::optional<MockUsage> usage = MockUsage{};
  std::string model = "mock-model-1";

  int status = 200;
  std::map<std::string, std::string> headers;
  std::optional<std::string> raw_body;  ///< instead of all above
  std::string content_type;             ///< empty: what is usual for the body
  bool never_stream = false;            ///< answers with JSON although a stream was asked for

  MockFault fault = MockFault::none;
  std::chrono::milliseconds latency{0};   ///< before the first byte
  std::chrono::milliseconds interval{0};  ///< between pieces of the body (events of a stream, 64 bytes otherwise)
  std::chrono::milliseconds silence{30'000};
  /// Replacements in the finished body, for what JSON could not hold (invalid UTF-8).
  std::vector<std::pair<std::string, std::string>> replace;
};

MockReply mock_text(std::string text);
MockReply mock_tool_call(std::string name, nlohmann::json arguments);
/// An error in the form of the request's protocol; `type` is the error's type and, in the OpenAI form, code.
MockReply mock_error(MockForm form, int status, const std::string& message, const std::string& type = "mock_error");
MockReply mock_raw(int status, std::string body, std::string content_type);

using MockHandler = std::function<MockReply(const nlohmann::json& request, const MockCall& call)>;

enum class MockTls : std::uint8_t {
  none,
  valid,   ///< a certificate of `ca_file` for 127.0.0.1 and localhost
  expired  ///< of the same authority, over since yesterday
};

/// The server; it runs from construction to destruction. The handler is called from many threads at once; an exception
/// of it is answered with status 500 and its text. Sets `no_proxy` for this process and its children, so that a proxy
/// of the machine is not asked for 127.0.0.1. Throws std::runtime_error when no server can be started.
class MockEndpoint {
 public:
  explicit MockEndpoint(MockHandler handler, MockTls tls = MockTls::none);
  ~MockEndpoint();
  MockEndpoint(const MockEndpoint&) = delete;
  MockEndpoint& operator=(const MockEndpoint&) = delete;

  /// What `--base-url` wants: with `/v1` in the OpenAI form.
  [[nodiscard]] std::string base_url(MockForm form = MockForm::openai) const;
  [[nodiscard]] std::string origin() const;
  [[nodiscard]] int port() const;
  /// PEM file of the authority that signed the certificate.
  [[nodiscard]] std::string ca_file() const;

  void set_handler(MockHandler handler);
  /// Every request so far, in the order of arrival.
  [[nodiscard]] std::vector<MockRequest> requests() const;
  [[nodiscard]] std::size_t request_count() const;
  void clear_requests();
  /// The largest number of requests that were in work at a time.
  [[nodiscard]] std::size_t largest_concurrency() const;
  /// Set false, bodies are not kept in the log (long runs).
  void keep_bodies(bool keep);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace memuse::test
