#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace memuse::view {

/// A request that was let in: its path below the token, and its query.
struct ViewRequest {
  std::string path;
  std::multimap<std::string, std::string> query;

  /// The first value of that name; empty when there is none.
  [[nodiscard]] std::string value(const std::string& name) const;
};

/// An answer: JSON, or 404 with a sentence.
struct ViewAnswer {
  bool found = true;
  std::string body;
};

/// Serves the report's page at the loopback address, and beside it what a function answers, for reading only.
class Server {
 public:
  /// Answers paths below `/api/`; may be called from several threads.
  using Api = std::function<ViewAnswer(const ViewRequest&)>;

  /// Takes the port, 0 for any that is free. Throws Error(environment) when it is taken.
  Server(int port, Api api);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// `http://127.0.0.1:PORT/TOKEN/`.
  [[nodiscard]] const std::string& address() const;
  /// Serves until `stop` is set.
  void serve(const std::atomic<bool>& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace memuse::view
