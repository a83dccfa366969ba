#include "support/mock_endpoint.h"

#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "support/certificates.h"
#include "support/mock_reply_body.h"

namespace memuse::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

/// Connections that can be served at a time: each holds a thread.
constexpr std::size_t kMaxThreads = 256;
constexpr int kHighestDescriptor = 4'096;

int port_of(int (*ask)(int, sockaddr*, socklen_t*), int socket) {
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  if (ask(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0 || address.sin_family != AF_INET) return -1;
  return ntohs(address.sin_port);
}

/// Calls `use` for every accepted connection of the server at `port` in this process. The server library keeps its
/// sockets to itself, and a test server may look for them.
template <typename Use>
void for_each_connection(int port, Use use) {
  for (int socket = 3; socket < kHighestDescriptor; ++socket) {
    const int client = port_of(&::getpeername, socket);
    if (client > 0 && port_of(&::getsockname, socket) == port) use(socket, client);
  }
}

/// The server's end of the connection with a client.
int connection_of(int port, int client_port) {
  int found = -1;
  for_each_connection(port, [&](int socket, int client) {
    if (client == client_port) found = socket;
  });
  return found;
}

std::map<std::string, std::string> lower_case_headers(const httplib::Headers& headers) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : headers) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    out[lower] = value;
  }
  return out;
}

/// Threads that are made as connections come.
class GrowingPool : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> job) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back(std::move(job));
    if (idle_ < jobs_.size() && threads_.size() < kMaxThreads) threads_.emplace_back([this] { work(); });
    changed_.notify_one();
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool closing_ = false;
};

/// Counts a request as in work during its life.
class InWork {
 public:
  explicit InWork(std::atomic<std::size_t>& count) : count_(count) {}
  InWork(const InWork&) = delete;
  InWork& operator=(const InWork&) = delete;
  ~InWork() { --count_; }

 private:
  std::atomic<std::size_t>& count_;
};

}  // namespace

class MockEndpoint::Server {
 public:
  Server(MockHandler handler, MockTls tls) : handler_(std::move(handler)), tls_(tls) {
    ::setenv("no_proxy", "127.0.0.1,localhost", 1);
    if (tls_ != MockTls::none) {
      certificate_ = make_certificate(tls_ == MockTls::expired);
      http_ = std::make_unique<httplib::SSLServer>(certificate_->certificate(), certificate_->private_key());
    } else {
      http_ = std::make_unique<httplib::Server>();
    }
    if (!http_->is_valid()) throw std::runtime_error("the mock endpoint's server is not valid");
    http_->new_task_queue = [] { return new GrowingPool; };
    http_->set_tcp_nodelay(true);
    http_->set_keep_alive_max_count(1'000'000);
    http_->set_keep_alive_timeout(60);
    http_->Post(".*",
                [this](const httplib::Request& request, httplib::Response& response) { answer(request, response); });
    port_ = http_->bind_to_any_port("127.0.0.1");
    if (port_ <= 0) throw std::runtime_error("the mock endpoint finds no free port");
    thread_ = std::thread([this] { http_->listen_after_bind(); });
    while (!http_->is_running()) std::this_thread::sleep_for(milliseconds(1));
  }

  ~Server() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    closed_.notify_all();
    http_->stop();
    // Connections that are kept alive would hold the server's threads.
    for_each_connection(port_, [](int socket, int) { ::shutdown(socket, SHUT_RDWR); });
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string origin() const {
    return (tls_ == MockTls::none ? "http://127.0.0.1:" : "https://127.0.0.1:") + std::to_string(port_);
  }
  int port() const { return port_; }
  std::string ca_file() const { return certificate_ ? certificate_->ca_file() : ""; }

  void set_handler(MockHandler handler) {
    const std::lock_guard<std::mutex> lock(mutex_);
    handler_ = std::move(handler);
  }
  std::vector<MockRequest> requests() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_;
  }
  std::size_t request_count() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_.size();
  }
  void clear_requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    log_.clear();
  }
  std::size_t largest_concurrency() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return largest_;
  }
  void keep_bodies(bool keep) { keep_bodies_ = keep; }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) {
    auto in_work = std::make_shared<InWork>(in_work_);
    MockRequest logged;
    logged.body = json::parse(request.body, nullptr, false);
    if (logged.body.is_discarded()) logged.body = nullptr;
    logged.call = arrived(request, logged);
    const MockReply reply = reply_to(logged.body, logged.call);
    if (reply.latency.count() > 0) sleep(reply.latency);
    if (reply.fault == MockFault::silent_before_headers) stay_silent(request.remote_port, reply.silence);
    if (reply.fault == MockFault::no_http) write_no_http(request.remote_port);
    if (reply.fault == MockFault::drop_before_headers || reply.fault == MockFault::silent_before_headers ||
        reply.fault == MockFault::no_http) {
      ::shutdown(connection_of(port_, request.remote_port), SHUT_RDWR);
      return;
    }
    send(reply, mock_body(reply, logged.body, logged.call), request.remote_port, response, std::move(in_work));
  }

  MockCall arrived(const httplib::Request& request, MockRequest& logged) {
    MockCall call;
    call.path = request.target;
    call.client_port = request.remote_port;
    call.headers = lower_case_headers(request.headers);
    const bool anthropic = request.target.find("/messages") != std::string::npos;
    call.form = anthropic ? MockForm::anthropic : MockForm::openai;
    call.streaming = logged.body.is_object() && logged.body.value("stream", false);
    const std::lock_guard<std::mutex> lock(mutex_);
    call.number = ++count_;
    call.concurrent = ++in_work_;
    largest_ = std::max(largest_, call.concurrent);
    logged.arrived = std::chrono::steady_clock::now();
    logged.call = call;
    log_.push_back({call, nullptr, "", logged.arrived});
    if (keep_bodies_) {
      log_.back().body = logged.body;
      log_.back().raw_body = request.body;
    }
    return call;
  }

  MockReply reply_to(const json& body, const MockCall& call) {
    MockHandler handler;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      handler = handler_;
    }
    try {
      return handler(body, call);
    } catch (const std::exception& fault) {
      return mock_error(call.form, 500, std::string("the test's handler failed: ") + fault.what());
    }
  }

  void send(const MockReply& reply, const MockBody& body, int client, httplib::Response& response,
            std::shared_ptr<InWork> in_work) {
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    std::size_t bytes = 0;
    for (const std::string& piece : body.pieces) bytes += piece.size();
    const std::size_t half = body.pieces.size() / 2;
    auto next = std::make_shared<std::size_t>(0);
    // Keeps the request counted until the response is gone.
    const auto done = [in_work](bool) {};
    const auto write_next = [this, reply, pieces = body.pieces, half, next, client](httplib::DataSink& sink) {
      if (*next >= pieces.size()) return false;
      const bool in_middle = *next >= half;
      if (reply.fault == MockFault::drop_in_body && in_middle) return false;
      if (reply.fault == MockFault::silent_in_body && in_middle) {
        stay_silent(client, reply.silence);
        return false;
      }
      if (reply.interval.count() > 0) sleep(reply.interval);
      const std::string& piece = pieces[(*next)++];
      return sink.write(piece.data(), piece.size());
    };
    if (!body.streamed && (reply.fault == MockFault::drop_in_body || reply.fault == MockFault::silent_in_body)) {
      // One piece is cut in two.
      send_half(reply, body, bytes, client, response, done);
    } else if (!body.streamed) {
      response.set_content_provider(
          bytes, body.content_type,
          [write_next](std::size_t, std::size_t, httplib::DataSink& sink) { return write_next(sink); }, done);
    } else {
      const std::size_t last = reply.fault == MockFault::truncated_stream ? half : body.pieces.size();
      response.set_chunked_content_provider(
          body.content_type,
          [write_next, next, last](std::size_t, httplib::DataSink& sink) {
            if (*next >= last) {
              sink.done();
              return true;
            }
            return write_next(sink);
          },
          done);
    }
  }

  void send_half(const MockReply& reply, const MockBody& body, std::size_t bytes, int client,
                 httplib::Response& response, const std::function<void(bool)>& done) {
    std::string whole;
    for (const std::string& piece : body.pieces) whole += piece;
    const auto write = [this, reply, client, whole](std::size_t at, std::size_t, httplib::DataSink& sink) {
      if (at == 0) return sink.write(whole.data(), whole.size() / 2);
      if (reply.fault == MockFault::silent_in_body) stay_silent(client, reply.silence);
      return false;
    };
    response.set_content_provider(bytes, body.content_type, write, done);
  }

  /// False when the server is closing.
  bool sleep(milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    return !closed_.wait_for(lock, time, [this] { return closing_; });
  }

  /// Until the client is gone, the time is over, or the server closes.
  void stay_silent(int client, milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    pollfd connection{connection_of(port_, client), POLLRDHUP, 0};
    while (std::chrono::steady_clock::now() < until && sleep(milliseconds(5))) {
      if (::poll(&connection, 1, 0) != 0) return;
    }
  }

  void write_no_http(int client) {
    const std::string bytes = "\x16\x03\x01 this is no HTTP\r\n";
    static_cast<void>(::send(connection_of(port_, client), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }

  mutable std::mutex mutex_;
  std::condition_variable closed_;
  bool closing_ = false;
  MockHandler handler_;
  MockTls tls_;
  std::unique_ptr<MockCertificate> certificate_;
  std::unique_ptr<httplib::Server> http_;
  int port_ = 0;
  std::atomic<std::size_t> in_work_{0};
  std::size_t largest_ = 0;
  std::size_t count_ = 0;
  std::atomic<bool> keep_bodies_{true};
  std::vector<MockRequest> log_;
  std::thread thread_;
};

MockReply mock_text(std::string text) {
  MockReply reply;
  reply.text = std::move(text);
  return reply;
}

MockReply mock_tool_call(std::string name, json arguments) {
  MockReply reply;
  reply.tool_calls.push_back({std::move(name), std::move(arguments)});
  return reply;
}

MockReply mock_error(MockForm form, int status, const std::string& message, const std::string& type) {
  json error{{"type", type}, {"message", message}};
  if (form == MockForm::openai) error["code"] = type;
  json body{{"error", error}};
  if (form == MockForm::anthropic) body["type"] = "error";
  return mock_raw(status, body.dump(-1, ' ', false, json::error_handler_t::replace), "application/json");
}

MockReply mock_raw(int status, std::string body, std::string content_type) {
  MockReply reply;
  reply.status = status;
  reply.raw_body = std::move(body);
  reply.content_type = std::move(content_type);
  return reply;
}

MockEndpoint::MockEndpoint(MockHandler handler, MockTls tls)
    : server_(std::make_unique<Server>(std::move(handler), tls)) {}
MockEndpoint::~MockEndpoint() = default;

std::string MockEndpoint::base_url(MockForm form) const {
  return server_->origin() + (form == MockForm::openai ? "/v1" : "");
}
std::string MockEndpoint::origin() const {
  return server_->origin();
}
int MockEndpoint::port() const {
  return server_->port();
}
std::string MockEndpoint::ca_file() const {
  return server_->ca_file();
}
void MockEndpoint::set_handler(MockHandler handler) {
  server_->set_handler(std::move(handler));
}
std::vector<MockRequest> MockEndpoint::requests() const {
  return server_->requests();
}
std::size_t MockEndpoint::request_count() const {
  return server_->request_count();
}
void MockEndpoint::clear_requests() {
  server_->clear_requests();
}
std::size_t MockEndpoint::largest_concurrency() const {
  return server_->largest_concurrency();
}
void MockEndpoint::keep_bodies(bool keep) {
  server_->keep_bodies(keep);
}

}  // namespace memuse::test
