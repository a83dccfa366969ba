#include "view/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "model/error.h"
#include "view/page.h"
#include "view/request_guard.h"

namespace memuse::view {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::chrono::milliseconds kStopCheck{100};
constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kPlainText = "text/plain; charset=utf-8";

void set_headers(httplib::Response& response) {
  response.set_header("Content-Security-Policy", policy_header(report_page()));
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cache-Control", "no-store");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
}

/// The page as it is served: it asks for its data.
std::string served_page() {
  const Page& page = report_page();
  std::string html(page.before_policy);
  html += page.before_data;
  html += "<script type=\"application/json\" id=\"memuse-served\">{}</script>";
  html += page.after_data;
  return html;
}

void refuse(Admission why, httplib::Response& response) {
  switch (why) {
    case Admission::foreign_host:
      response.status = 403;
      response.set_content("This server answers to 127.0.0.1 only.\n", kPlainText);
      break;
    case Admission::wrong_token:
      response.status = 403;
      response.set_content("Open the address that `memuse view` printed: its token is needed.\n", kPlainText);
      break;
    case Admission::wrong_method:
      response.status = 405;
      response.set_header("Allow", "GET, HEAD");
      response.set_content("Nothing can be changed here.\n", kPlainText);
      break;
    case Admission::granted:
      break;
  }
}

void not_found(const std::string& sentence, httplib::Response& response) {
  response.status = 404;
  response.set_content(sentence + "\n", kPlainText);
}

}  // namespace

std::string ViewRequest::value(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

struct Server::Parts {
  explicit Parts(Api given) : api(std::move(given)) {}

  /// Every request passes here before anything else looks at it.
  httplib::Server::HandlerResponse look(const httplib::Request& request, httplib::Response& response) {
    set_headers(response);
    const Admission admission = guard->admit(request.method, request.get_header_value("Host"), request.path);
    if (admission != Admission::granted) {
      refuse(admission, response);
    } else {
      answer(request, response);
    }
    return httplib::Server::HandlerResponse::Handled;
  }

  void answer(const httplib::Request& request, httplib::Response& response) const {
    ViewRequest asked{std::string(guard->below_token(request.path)), {request.params.begin(), request.params.end()}};
    if (asked.path.empty()) {
      response.status = 301;
      response.set_header("Location", request.path + "/");
    } else if (asked.path == "/") {
      response.set_content(served_page(), "text/html; charset=utf-8");
    } else if (asked.path.starts_with("/api/")) {
      ask(asked, response);
    } else {
      not_found("There is no such page.", response);
    }
  }

  void ask(const ViewRequest& asked, httplib::Response& response) const {
    try {
      ViewAnswer found = api(asked);
      if (!found.found) return not_found(found.body, response);
      response.set_content(std::move(found.body), "application/json");
    } catch (const std::exception& error) {
      response.status = 500;
      response.set_content(std::string(error.what()) + "\n", kPlainText);
    }
  }

  Api api;
  httplib::Server http;
  std::optional<RequestGuard> guard;
  std::string address;
};

Server::Server(int port, Api api) : parts_(std::make_unique<Parts>(std::move(api))) {
  httplib::Server& http = parts_->http;
  // Without SO_REUSEPORT, which the library sets: a second server at the same port must be an error.
  http.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  http.set_payload_max_length(1 << 16);
  http.set_keep_alive_max_count(1000);
  http.set_read_timeout(10);
  http.set_write_timeout(30);
  http.set_pre_routing_handler([parts = parts_.get()](const httplib::Request& request, httplib::Response& response) {
    return parts->look(request, response);
  });
  int taken = port;
  if (port == 0) {
    taken = http.bind_to_any_port(kLoopback);
  } else if (!http.bind_to_port(kLoopback, port)) {
    taken = -1;
  }
  if (taken <= 0) {
    throw Error(ExitCode::environment,
                port == 0
                    ? std::string("no port of the loopback address can be had")
                    : fmt::format("port {} is taken (by another `memuse view`, perhaps); name another with --port,"
                                  " or leave it out for any that is free",
                                  port));
  }
  std::string token = random_token();
  parts_->address = fmt::format("http://{}:{}/{}/", kLoopback, taken, token);
  parts_->guard.emplace(std::move(token), taken);
}

Server::~Server() = default;

const std::string& Server::address() const {
  return parts_->address;
}

void Server::serve(const std::atomic<bool>& stop) {
  std::atomic<bool> ended{false};
  std::thread watcher([this, &stop, &ended] {
    // Stopping a server that does not listen yet would be forgotten.
    while (!ended.load() && !(stop.load() && parts_->http.is_running())) std::this_thread::sleep_for(kStopCheck);
    parts_->http.stop();
  });
  parts_->http.listen_after_bind();
  ended = true;
  watcher.join();
}

}  // namespace memuse::view
