#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace memuse::chat {

/// How a transfer ended, apart from its HTTP status.
enum class TransferEnd : std::uint8_t {
  complete,       ///< an HTTP response with its whole body
  no_connection,  ///< name, route, port, proxy, or the connect timeout
  tls_refused,    ///< the certificate is not trusted, or the CA file cannot be read: trying again does not help
  dropped,        ///< the connection ended in the middle, or TLS failed otherwise
  garbled,        ///< what came is not HTTP
  idle,           ///< no byte for the idle timeout
  too_slow,       ///< the whole call's timeout
  too_large,      ///< more than the largest body; nothing beyond it was kept
  stopped,        ///< the stop flag was set
  failed          ///< anything else that libcurl refuses
};

struct HttpResponse {
  TransferEnd end = TransferEnd::complete;
  std::string detail;  ///< libcurl's words on a transfer that is not complete
  long status = 0;
  std::string content_type;
  std::string retry_after;
  std::string location;
  std::string body;  ///< what came, also of a transfer that is not complete
};

struct HttpOptions {
  std::string url;
  std::vector<std::string> headers;  ///< `Name: value`
  std::string ca_file;
  std::chrono::milliseconds connect_timeout{30'000};
  std::chrono::milliseconds idle_timeout{300'000};
  std::chrono::milliseconds call_timeout{1'800'000};
  std::uint64_t max_body_bytes = 0;
  const std::atomic<bool>* stop = nullptr;
};

/// POSTs to one URL, over connections that are used again. HTTP and HTTPS only, certificates verified, the system's
/// proxy settings honoured; redirects are not followed, and no cookies or .netrc are used. Thread-safe: every call in
/// flight has a connection of its own.
class HttpClient {
 public:
  /// Throws Error(environment) when libcurl cannot be set up.
  explicit HttpClient(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  HttpResponse post(const std::string& body);

 private:
  class Transfer;
  std::unique_ptr<Transfer> take();
  void give_back(std::unique_ptr<Transfer> transfer);

  HttpOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Transfer>> free_;
};

}  // namespace memuse::chat
