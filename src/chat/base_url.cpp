#include "chat/base_url.h"

#include <curl/curl.h>

#include <memory>

#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

std::string part(const Url& url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return "";
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return text;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ExitCode::usage, "--base-url " + why + "; give one such as https://api.example.com/v1");
}

}  // namespace

BaseUrl parse_base_url(const std::string& text) {
  const Url url(curl_url());
  if (!url || text.empty()) refuse("is empty");
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) refuse("is no URL");
  const std::string scheme = part(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") refuse("is neither http nor https");
  if (!part(url, CURLUPART_USER).empty() || !part(url, CURLUPART_PASSWORD).empty()) {
    refuse("has a user or password in it, which would be printed and stored (keys go to --key-env or --key-file)");
  }
  if (!part(url, CURLUPART_QUERY).empty() || !part(url, CURLUPART_FRAGMENT).empty()) {
    refuse("has a query or fragment (“?” or “#”)");
  }
  BaseUrl base;
  const std::string port = part(url, CURLUPART_PORT);
  base.origin = scheme + "://" + part(url, CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
  base.path = part(url, CURLUPART_PATH);
  while (!base.path.empty() && base.path.back() == '/') base.path.pop_back();
  return base;
}

std::string host_of(const std::string& text) {
  const Url url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) return "?";
  const std::string host = part(url, CURLUPART_HOST);
  return host.empty() ? "?" : shortened(printable(host), 100);
}

}  // namespace memuse::chat
