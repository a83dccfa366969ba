#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chat/chat_message.h"

namespace memuse::chat {

/// Why a call gave no reply.
enum class ChatFault : std::uint8_t {
  unreachable,       ///< no connection, TLS, dropped or idle connection, HTTP 5xx: after all retries
  rate_limited,      ///< HTTP 429 after all retries
  refused_key,       ///< 401 or 403: every other call would fail as well
  refused_request,   ///< another 4xx: this request is wrong
  context_too_long,  ///< the endpoint says that the conversation is too long for the model
  bad_reply,         ///< the reply is no reply of this protocol (HTML, truncated, not JSON), after all retries
  too_large,         ///< the reply is larger than the limit
  broken,            ///< memuse itself could not go on (a full disk under a recording): every other call would fail too
  not_recorded,      ///< replay only: the recording does not hold this request
  stopped            ///< the stop flag was set while waiting
};

std::string_view name(ChatFault fault);

struct ChatError {
  ChatFault fault = ChatFault::unreachable;
  std::string message;  ///< for a person: what happened, after how many tries, what to do; never a key
};

/// A reply, or why there is none; what it took in either case.
struct ChatOutcome {
  std::optional<ChatReply> reply;
  std::optional<ChatError> error;  ///< exactly one of the two
  std::uint32_t attempts = 0;
};

/// Which call this is, for recordings and messages.
struct CallPlace {
  std::string episode_uid;
  std::uint32_t span = 0;
  std::uint32_t call = 0;    ///< 1-based within the span's conversation
  std::string episode = {};  ///< the episode's name, for messages
};

/// Something that answers chat requests: an endpoint, a recording, a script of a test. Thread-safe.
class ChatModel {
 public:
  ChatModel() = default;
  ChatModel(const ChatModel&) = delete;
  ChatModel& operator=(const ChatModel&) = delete;
  virtual ~ChatModel() = default;

  /// Blocks until there is an outcome. Waits end early when the stop flag that the model was made with is set.
  virtual ChatOutcome complete(const ChatRequest& request, const CallPlace& place) = 0;
};

}  // namespace memuse::chat
