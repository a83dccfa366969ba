#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/endpoint.h"

namespace memuse::chat {

/// What the bytes of a response with status 2xx came to.
struct ReadReply {
  std::optional<ChatReply> reply;
  std::string fault;  ///< why it is none; printable
  /// The endpoint's own words when it reported an error in place of a reply.
  std::optional<std::string> reported_error;
};

/// What a refusal taught.
struct Lesson {
  bool try_again = false;  ///< the request is made otherwise now
  std::string notice;      ///< for the person; empty when another call has told it already
};

/// One form of requests and replies. Thread-safe; what it learns about an endpoint holds for all later requests.
class WireForm {
 public:
  WireForm() = default;
  WireForm(const WireForm&) = delete;
  WireForm& operator=(const WireForm&) = delete;
  virtual ~WireForm() = default;

  /// The path below the base URL.
  [[nodiscard]] virtual std::string path(std::string_view base_path) const = 0;
  [[nodiscard]] virtual std::vector<std::string> headers(const std::string& key) const = 0;
  /// Why this form cannot carry the request; empty when it can.
  [[nodiscard]] virtual std::string obstacle(const ChatRequest& request) const = 0;
  [[nodiscard]] virtual std::string body(const ChatRequest& request) const = 0;
  [[nodiscard]] virtual ReadReply read_json(std::string_view body) const = 0;
  /// `ended`: the response was whole, not cut off.
  [[nodiscard]] virtual ReadReply read_stream(std::string_view body, bool ended) const = 0;
  /// How much was learnt so far; to be read before `body`.
  [[nodiscard]] virtual std::uint32_t lessons() const { return 0; }
  /// Learns from a refused request (status 400 or 422), which was made when `lessons` had been learnt, how this
  /// endpoint wants it.
  virtual Lesson learn(const ChatRequest& request, std::string_view error_body, std::uint32_t lessons) = 0;
};

std::unique_ptr<WireForm> openai_form(const EndpointOptions& options);
std::unique_ptr<WireForm> anthropic_form(const EndpointOptions& options);

/// The endpoint's words in an error body of any of the usual forms, else the beginning of the body: printable, one
/// line.
std::string error_words(std::string_view body);
/// The same of JSON that is an error in place of a reply; nothing when it is none.
std::optional<std::string> reported_error(const nlohmann::json& value);

/// The arguments of a call as the object that endpoints want back. What is no JSON object (the model wrote something
/// else) goes back as `{"unreadable_arguments": "<text>"}`, as several servers refuse a whole conversation for it.
nlohmann::json arguments_object(const std::string& arguments);

/// The number at `key` when it is a whole number of at least 0.
std::optional<std::uint64_t> count_at(const nlohmann::json& object, std::string_view key);

/// Gives an id to every call that has none or another call's of the same reply: `call-<n>`, n counted over the
/// conversation so far.
void name_calls(const ChatRequest& request, ChatMessage& message);

}  // namespace memuse::chat
