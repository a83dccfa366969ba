#include "chat/http_client.h"

#include <curl/curl.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How often the stop flag and the timeouts are looked at while nothing comes.
constexpr milliseconds kTick{50};

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

void set_up_curl_once() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (result != CURLE_OK) throw Error(ExitCode::environment, "libcurl cannot be set up on this machine");
}

TransferEnd end_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return TransferEnd::complete;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PROXY:
      return TransferEnd::no_connection;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return TransferEnd::tls_refused;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // an answer of HTTP/0.9, that is, no HTTP at all
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return TransferEnd::garbled;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_FAIL_REWIND:
      return TransferEnd::dropped;
    default:
      return TransferEnd::failed;
  }
}

/// The value of a header line `name: value`, when it is that header.
bool take_header(std::string_view line, std::string_view name, std::string& value) {
  if (line.size() <= name.size() || line[name.size()] != ':') return false;
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b; };
  if (!std::equal(name.begin(), name.end(), line.begin(), [&](char b, char a) { return same(a, b); })) return false;
  value = std::string(trimmed(line.substr(name.size() + 1)));
  return true;
}

/// Keeps SIGPIPE, which TLS raises on a connection that the other side has closed, from this thread while it lives, and
/// takes off one that came. libcurl leaves the signal alone when it is told to use none.
class WithoutBrokenPipe {
 public:
  WithoutBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
  WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;
  ~WithoutBrokenPipe() {
    const timespec no_time{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &no_time);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

/// One easy handle with its connection.
class HttpClient::Transfer {
 public:
  explicit Transfer(const HttpOptions& options);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() = default;

  HttpResponse post(const std::string& body);

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(easy_.get(), option, value) != CURLE_OK) {
      throw Error(ExitCode::environment, "this libcurl lacks an option that memuse needs; use libcurl 7.85 or newer");
    }
  }
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent);
  /// Drives the transfer to its end.
  TransferEnd run();
  /// Why the transfer must end now; `complete` when it may go on.
  TransferEnd overdue(Clock::time_point started);

  const HttpOptions& options_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  // The multi handle holds the connection; the easy handle goes first.
  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  HttpResponse response_;
  Clock::time_point last_byte_;
  curl_off_t sent_ = 0;
  bool too_large_ = false;
};

HttpClient::Transfer::Transfer(const HttpOptions& options)
    : options_(options), multi_(curl_multi_init()), easy_(curl_easy_init()) {
  if (!multi_ || !easy_) throw Error(ExitCode::environment, "libcurl cannot be set up: out of memory");
  for (const std::string& header : options_.headers) {
    curl_slist* longer = curl_slist_append(headers_.get(), header.c_str());
    if (longer == nullptr) throw Error(ExitCode::environment, "libcurl cannot be set up: out of memory");
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }
  set(CURLOPT_URL, options_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options_.ca_file.empty()) {
    set(CURLOPT_CAINFO, options_.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // a proxy's CONNECT gets no key
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(CURLOPT_XFERINFODATA, this);
}

std::size_t HttpClient::Transfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.last_byte_ = Clock::now();
  const std::string_view line(data, size * count);
  HttpResponse& response = transfer.response_;
  if (line.substr(0, 5) == "HTTP/") {  // also after a 100 or a proxy's answer: only the last response counts
    response.content_type.clear();
    response.retry_after.clear();
    response.location.clear();
  }
  take_header(line, "content-type", response.content_type) || take_header(line, "retry-after", response.retry_after) ||
      take_header(line, "location", response.location);
  return size * count;
}

std::size_t HttpClient::Transfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.last_byte_ = Clock::now();
  std::string& body = transfer.response_.body;
  if (size * count > transfer.options_.max_body_bytes - body.size()) {
    transfer.too_large_ = true;
    return 0;
  }
  body.append(data, size * count);
  return size * count;
}

int HttpClient::Transfer::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (sent != transfer.sent_) transfer.last_byte_ = Clock::now();
  transfer.sent_ = sent;
  return 0;
}

TransferEnd HttpClient::Transfer::overdue(Clock::time_point started) {
  const auto now = Clock::now();
  if (options_.stop != nullptr && options_.stop->load()) return TransferEnd::stopped;
  if (now - started >= options_.call_timeout) return TransferEnd::too_slow;
  curl_off_t connected_after = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected_after);
  // Until there is a connection its own timeout counts.
  if (connected_after == 0) last_byte_ = now;
  if (now - last_byte_ >= options_.idle_timeout) return TransferEnd::idle;
  return TransferEnd::complete;
}

TransferEnd HttpClient::Transfer::run() {
  const auto started = Clock::now();
  last_byte_ = started;
  int running = 1;
  while (true) {
    if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) return TransferEnd::failed;
    if (running == 0) break;
    if (const TransferEnd end = overdue(started); end != TransferEnd::complete) return end;
    const auto wait = std::min({kTick, options_.idle_timeout, options_.call_timeout});
    curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(std::max(wait, milliseconds(1)).count()), nullptr);
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
  if (message == nullptr) return TransferEnd::failed;
  const CURLcode code = message->data.result;
  if (too_large_) return TransferEnd::too_large;
  if (code != CURLE_OK) response_.detail = error_.front() != '\0' ? error_.data() : curl_easy_strerror(code);
  return end_of(code);
}

HttpResponse HttpClient::Transfer::post(const std::string& body) {
  response_ = {};
  error_.fill('\0');
  sent_ = 0;
  too_large_ = false;
  set(CURLOPT_POSTFIELDS, body.data());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  if (curl_multi_add_handle(multi_.get(), easy_.get()) != CURLM_OK) {
    throw Error(ExitCode::environment, "libcurl cannot start a transfer");
  }
  response_.end = run();
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &response_.status);
  curl_multi_remove_handle(multi_.get(), easy_.get());
  return std::move(response_);
}

HttpClient::HttpClient(HttpOptions options) : options_(std::move(options)) {
  set_up_curl_once();
}

HttpClient::~HttpClient() {
  const WithoutBrokenPipe guard;  // connections are taken leave of
  free_.clear();
}

std::unique_ptr<HttpClient::Transfer> HttpClient::take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      auto transfer = std::move(free_.back());
      free_.pop_back();
      return transfer;
    }
  }
  return std::make_unique<Transfer>(options_);
}

void HttpClient::give_back(std::unique_ptr<Transfer> transfer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(std::move(transfer));
}

HttpResponse HttpClient::post(const std::string& body) {
  const WithoutBrokenPipe guard;
  auto transfer = take();
  HttpResponse response = transfer->post(body);
  give_back(std::move(transfer));
  return response;
}

}  // namespace memuse::chat
