#pragma once

#include <string>
#include <string_view>

namespace memuse::chat {

/// A base URL in parts that are safe to print: there is no user info in it.
struct BaseUrl {
  std::string origin;  ///< `https://host:port`
  std::string path;    ///< without a `/` at the end; may be empty
};

/// Throws Error(usage), never with user info or a query in its message, when `text` is no http or https URL or has user
/// info, a query or a fragment.
BaseUrl parse_base_url(const std::string& text);

/// The host of a URL for a message, `?` when there is none.
std::string host_of(const std::string& url);

}  // namespace memuse::chat
