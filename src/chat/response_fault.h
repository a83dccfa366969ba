#pragma once

#include <string>

#include "chat/chat_model.h"
#include "chat/http_client.h"

namespace memuse::chat {

/// Why a response gives no reply.
struct ResponseFault {
  ChatFault fault = ChatFault::unreachable;
  std::string what;        ///< what happened: "HTTP 503: overloaded"
  std::string advice;      ///< what to do when it stays so; may be empty
  bool try_again = false;  ///< the same request may succeed later
};

/// The fault of a response that is no whole 2xx response.
ResponseFault fault_of(const HttpResponse& response, const HttpOptions& options);

/// The fault of a 2xx response that reports an error in the endpoint's own words.
ResponseFault fault_of_reported(const std::string& words, const std::string& what);

}  // namespace memuse::chat
