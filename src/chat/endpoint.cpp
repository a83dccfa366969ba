#include "chat/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "chat/base_url.h"
#include "chat/call_gate.h"
#include "chat/http_client.h"
#include "chat/key_scrubber.h"
#include "chat/protocol.h"
#include "chat/response_fault.h"
#include "chat/retry.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using std::chrono::milliseconds;

/// An endpoint's words in a message are cut to this.
constexpr std::size_t kMessageBytes = 400;

std::unique_ptr<WireForm> form_of(const EndpointOptions& options) {
  return options.protocol == Protocol::openai ? openai_form(options) : anthropic_form(options);
}

void check_key(const std::string& key) {
  if (!std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; })) {
    throw Error(ExitCode::usage, "the key holds characters that a key cannot have; give the key alone");
  }
}

HttpOptions http_options(const EndpointOptions& options, const BaseUrl& base, const WireForm& form) {
  HttpOptions http;
  http.url = base.origin + form.path(base.path);
  http.headers = form.headers(options.key);
  http.headers.push_back("Content-Type: application/json");
  http.headers.push_back(options.streaming ? "Accept: text/event-stream, application/json"
                                           : "Accept: application/json");
  http.headers.push_back("User-Agent: memuse");
  http.headers.push_back("Expect:");  // no pause for a 100 before a long body
  http.ca_file = options.ca_file;
  http.connect_timeout = options.connect_timeout;
  http.idle_timeout = options.idle_timeout;
  http.call_timeout = options.call_timeout;
  http.max_body_bytes = options.max_reply_bytes;
  http.stop = options.stop;
  return http;
}

/// The media type without its parameters, in lower case.
std::string media_type(const std::string& content_type) {
  std::string type(trimmed(std::string_view(content_type).substr(0, content_type.find(';'))));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return type;
}

bool is_json(const std::string& type) {
  constexpr std::string_view kSuffix = "+json";
  return type == "application/json" ||
         (type.size() > kSuffix.size() && type.substr(type.size() - kSuffix.size()) == kSuffix);
}

/// For servers that state no content type.
bool starts_as_stream(std::string_view body) {
  const std::string_view text = trimmed(body.substr(0, 64));
  return text.substr(0, 5) == "data:" || text.substr(0, 6) == "event:";
}

std::string seconds(milliseconds time) {
  return fmt::format("{:.1f} s", static_cast<double>(time.count()) / 1000.0);
}

/// What one response came to: a reply, or a fault and how long to wait before the next try.
struct Attempt {
  std::optional<ChatReply> reply;
  ResponseFault fault;
  milliseconds wait{0};
};

/// Leaves the gate at the end of its life.
class InsideGate {
 public:
  explicit InsideGate(CallGate& gate) : gate_(gate) {}
  InsideGate(const InsideGate&) = delete;
  InsideGate& operator=(const InsideGate&) = delete;
  ~InsideGate() { gate_.leave(); }

 private:
  CallGate& gate_;
};

class Endpoint : public ChatModel {
 public:
  Endpoint(EndpointOptions options, const BaseUrl& base)
      : options_(std::move(options)),
        origin_(base.origin),
        form_(form_of(options_)),
        scrubber_(options_.key),
        http_options_(http_options(options_, base, *form_)),
        client_(http_options_),
        gate_(options_.parallel, options_.stop) {}

  ChatOutcome complete(const ChatRequest& request, const CallPlace& place) override;

 private:
  /// One call with all its tries.
  struct Call {
    const ChatRequest& request;
    const CallPlace& place;
    Backoff backoff;
    std::uint32_t attempts = 0;
    std::uint32_t retries = 0;
  };
  Attempt attempt(Call& call);
  /// POSTs the request and takes the key out of what comes back.
  HttpResponse post(Call& call);
  [[nodiscard]] Attempt read(const ChatRequest& request, const HttpResponse& response) const;
  [[nodiscard]] bool learn(const ChatRequest& request, const HttpResponse& response, std::uint32_t lessons);
  [[nodiscard]] milliseconds wait_before_retry(Call& call, const HttpResponse& response) const;
  bool wait(const Call& call, const Attempt& failed);
  [[nodiscard]] std::string safe(const std::string& text) const;
  [[nodiscard]] ChatOutcome failure(const Call& call, const ResponseFault& fault) const;
  void tell(const std::string& message);

  const EndpointOptions options_;
  const std::string origin_;
  const std::unique_ptr<WireForm> form_;
  const KeyScrubber scrubber_;
  const HttpOptions http_options_;
  HttpClient client_;
  CallGate gate_;
  std::atomic<std::uint64_t> calls_{0};
  std::mutex telling_;
};

ChatOutcome Endpoint::complete(const ChatRequest& request, const CallPlace& place) {
  Call call{request, place,
            Backoff(options_.first_backoff, options_.longest_wait, options_.jitter_seed, calls_.fetch_add(1))};
  if (const std::string why = form_->obstacle(request); !why.empty()) {
    return failure(call, {ChatFault::refused_request, why, "", false});
  }
  while (true) {
    Attempt result = attempt(call);
    if (result.reply) return {std::move(result.reply), std::nullopt, call.attempts};
    if (!result.fault.try_again || call.retries >= options_.retries) return failure(call, result.fault);
    ++call.retries;
    if (!wait(call, result)) {
      return failure(call, {ChatFault::stopped, "stopped while waiting to try again", "", false});
    }
  }
}

/// One try; a request that the endpoint wants in another form is made again at once.
Attempt Endpoint::attempt(Call& call) {
  while (true) {
    const CallGate::Place place = gate_.enter();
    if (!place.granted) return {std::nullopt, {ChatFault::stopped, "stopped before the call was made", "", false}};
    const InsideGate inside(gate_);
    const std::uint32_t lessons = form_->lessons();
    const HttpResponse response = post(call);
    Attempt result = read(call.request, response);
    if (result.reply) {
      gate_.succeeded();
      return result;
    }
    if (learn(call.request, response, lessons)) continue;
    result.wait = wait_before_retry(call, response);
    if (result.fault.fault == ChatFault::rate_limited) gate_.rate_limited(place, result.wait);
    return result;
  }
}

HttpResponse Endpoint::post(Call& call) {
  ++call.attempts;
  HttpResponse response = client_.post(form_->body(call.request));
  for (std::string* text : {&response.detail, &response.content_type, &response.location, &response.body}) {
    *text = scrubber_.clean(std::move(*text));
  }
  return response;
}

Attempt Endpoint::read(const ChatRequest& request, const HttpResponse& response) const {
  const bool success = response.status >= 200 && response.status < 300;
  const std::string type = media_type(response.content_type);
  const bool is_stream = type == "text/event-stream" || (type.empty() && starts_as_stream(response.body));
  // A stream that came to its end marker is a reply, whatever became of the connection then.
  const bool cut_off = response.end != TransferEnd::complete;
  const bool may_be_whole = is_stream && (response.end == TransferEnd::dropped || response.end == TransferEnd::idle);
  if (!success || (cut_off && !may_be_whole)) return {std::nullopt, fault_of(response, http_options_)};
  if (!is_stream && !type.empty() && !is_json(type)) {
    return {std::nullopt,
            {ChatFault::bad_reply,
             fmt::format("a reply of content type {} ({})", shortened(type, 60), error_words(response.body)),
             "check --base-url: this is no endpoint for chat", true}};
  }
  ReadReply read = is_stream ? form_->read_stream(response.body, !cut_off) : form_->read_json(response.body);
  if (read.reply) {
    name_calls(request, read.reply->message);
    scrubber_.clean(*read.reply);
    return {std::move(read.reply), {}};
  }
  if (read.reported_error) return {std::nullopt, fault_of_reported(*read.reported_error, read.fault)};
  if (cut_off) return {std::nullopt, fault_of(response, http_options_)};
  return {std::nullopt, {ChatFault::bad_reply, read.fault, "check --base-url and --protocol", true}};
}

bool Endpoint::learn(const ChatRequest& request, const HttpResponse& response, std::uint32_t lessons) {
  if (response.end != TransferEnd::complete || (response.status != 400 && response.status != 422)) return false;
  const Lesson lesson = form_->learn(request, response.body, lessons);
  if (!lesson.notice.empty()) tell(lesson.notice);
  return lesson.try_again;
}

milliseconds Endpoint::wait_before_retry(Call& call, const HttpResponse& response) const {
  const milliseconds jittered = call.backoff.next();
  const auto asked = parse_retry_after(response.retry_after, std::chrono::system_clock::now());
  return std::min(std::max(jittered, asked.value_or(milliseconds(0))), options_.longest_wait);
}

bool Endpoint::wait(const Call& call, const Attempt& failed) {
  tell(fmt::format("S{} call {}: {}; trying again in {} (retry {} of {})", call.place.span, call.place.call,
                   safe(failed.fault.what), seconds(failed.wait), call.retries, options_.retries));
  return sleep_unless_stopped(failed.wait, options_.stop);
}

/// A text that an endpoint had a part in, for a message.
std::string Endpoint::safe(const std::string& text) const {
  return shortened(scrubber_.clean(printable(text)), kMessageBytes);
}

ChatOutcome Endpoint::failure(const Call& call, const ResponseFault& fault) const {
  std::string message = fmt::format("{}: {}", origin_, safe(fault.what));
  if (call.attempts > 1) message += fmt::format(", after {} tries", call.attempts);
  if (!fault.advice.empty()) message += "; " + fault.advice;
  return {std::nullopt, ChatError{fault.fault, std::move(message)}, call.attempts};
}

void Endpoint::tell(const std::string& message) {
  if (!options_.notice) return;
  const std::lock_guard<std::mutex> lock(telling_);
  options_.notice(message);
}

}  // namespace

std::string_view name(Protocol protocol) {
  return protocol == Protocol::openai ? "openai" : "anthropic";
}

std::optional<Protocol> parse_protocol(std::string_view text) {
  if (text == name(Protocol::openai)) return Protocol::openai;
  if (text == name(Protocol::anthropic)) return Protocol::anthropic;
  return std::nullopt;
}

std::unique_ptr<ChatModel> connect(EndpointOptions options) {
  const BaseUrl base = parse_base_url(options.base_url);
  check_key(options.key);
  return std::make_unique<Endpoint>(std::move(options), base);
}

}  // namespace memuse::chat
