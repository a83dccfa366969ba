#include "chat/key_scrubber.h"

#include <curl/curl.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>

namespace memuse::chat {
namespace {

constexpr std::size_t kShortestSecret = 8;
constexpr std::string_view kPlace = "[key]";

std::string percent_encoded(const std::string& key) {
  const std::unique_ptr<char, decltype(&curl_free)> encoded(
      curl_easy_escape(nullptr, key.data(), static_cast<int>(key.size())), &curl_free);
  return encoded ? std::string(encoded.get()) : key;
}

std::string base64(const std::string& key) {
  std::vector<unsigned char> out(4 * ((key.size() + 2) / 3) + 1);
  const int length =
      EVP_EncodeBlock(out.data(), reinterpret_cast<const unsigned char*>(key.data()), static_cast<int>(key.size()));
  std::string text(reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(length));
  // The last characters depend on what follows the key.
  text.resize(key.size() / 3 * 4);
  return text;
}

std::string replaced(const std::string& text, const std::string& what) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, from)) {
    out.append(text, from, at - from).append(kPlace);
    from = at + what.size();
  }
  return out.append(text, from, std::string::npos);
}

}  // namespace

KeyScrubber::KeyScrubber(const std::string& key) {
  if (key.size() < kShortestSecret) return;
  forms_ = {key, percent_encoded(key), base64(key)};
  std::sort(forms_.begin(), forms_.end());
  forms_.erase(std::unique(forms_.begin(), forms_.end()), forms_.end());
}

std::string KeyScrubber::clean(std::string text) const {
  for (const std::string& form : forms_) {
    if (text.find(form) != std::string::npos) text = replaced(text, form);
  }
  return text;
}

void KeyScrubber::clean(nlohmann::json& value) const {
  if (value.is_string()) {
    value = clean(value.get<std::string>());
  } else if (value.is_array()) {
    for (nlohmann::json& item : value) clean(item);
  } else if (value.is_object()) {
    nlohmann::json cleaned = nlohmann::json::object();
    for (auto& [name, item] : value.items()) {
      clean(item);
      cleaned[clean(name)] = std::move(item);
    }
    value = std::move(cleaned);
  }
}

void KeyScrubber::clean(ChatReply& reply) const {
  if (forms_.empty()) return;
  reply.message.text = clean(std::move(reply.message.text));
  for (ToolCall& call : reply.message.tool_calls) {
    call.id = clean(std::move(call.id));
    call.name = clean(std::move(call.name));
    call.arguments = clean(std::move(call.arguments));
  }
  clean(reply.message.as_received);
  reply.reasoning = clean(std::move(reply.reasoning));
  reply.model = clean(std::move(reply.model));
}

}  // namespace memuse::chat
