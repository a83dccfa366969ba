#include "chat/chat_model.h"

namespace memuse::chat {

std::string_view name(ChatFault fault) {
  switch (fault) {
    case ChatFault::unreachable:
      return "unreachable";
    case ChatFault::rate_limited:
      return "rate_limited";
    case ChatFault::refused_key:
      return "refused_key";
    case ChatFault::refused_request:
      return "refused_request";
    case ChatFault::context_too_long:
      return "context_too_long";
    case ChatFault::bad_reply:
      return "bad_reply";
    case ChatFault::too_large:
      return "too_large";
    case ChatFault::broken:
      return "broken";
    case ChatFault::not_recorded:
      return "not_recorded";
    case ChatFault::stopped:
      return "stopped";
  }
  return "";
}

}  // namespace memuse::chat
