#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace memuse::chat {

/// One event of a stream: https://html.spec.whatwg.org/multipage/server-sent-events.html.
struct ServerSentEvent {
  std::string type;  ///< the `event` field; empty when there is none
  std::string data;  ///< the `data` fields, joined by line feeds
};

/// Calls `take` for every event of `stream` that has data; ends early when it returns false. An event that the stream
/// ends in the middle of is taken as well: what is missing shows in its data.
void read_events(std::string_view stream, const std::function<bool(const ServerSentEvent&)>& take);

}  // namespace memuse::chat
