#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "chat/chat_model.h"

namespace memuse::chat {

/// The form in which an endpoint wants requests.
enum class Protocol : std::uint8_t {
  openai,    ///< POST {base}/chat/completions: OpenAI, vLLM, llama.cpp's server, Ollama, LM Studio, gateways
  anthropic  ///< POST {base}/v1/messages
};

std::string_view name(Protocol protocol);
std::optional<Protocol> parse_protocol(std::string_view text);

/// Where calls go and how patient they are.
struct EndpointOptions {
  Protocol protocol = Protocol::openai;
  std::string base_url;  ///< `https://host/v1` (openai) or `https://host` (anthropic), with or without a `/` at the end
  std::string model;
  std::string key;  ///< from environment or file; empty: none is sent. Never printed or stored
  bool streaming = true;
  std::string ca_file;  ///< PEM file of certificate authorities instead of the system's; empty: the system's
  std::chrono::milliseconds connect_timeout{30'000};
  std::chrono::milliseconds idle_timeout{300'000};  ///< a request without a byte for so long ends
  std::chrono::milliseconds call_timeout{1'800'000};
  std::uint32_t retries = 8;                        ///< after the first try
  std::chrono::milliseconds first_backoff{1'000};   ///< doubles, with jitter, up to `longest_wait`
  std::chrono::milliseconds longest_wait{120'000};  ///< a longer `Retry-After` is cut to this
  std::uint64_t max_reply_bytes = std::uint64_t{32} << 20;
  std::uint32_t parallel = 5;  ///< calls at a time; fewer for a while after a 429
  std::uint64_t jitter_seed = 0;
  const std::atomic<bool>* stop = nullptr;
  /// Told of every wait and retry, from any thread ("rate limited, trying again in 8 s (2 of 8)"); may be empty.
  std::function<void(const std::string& message)> notice;
};

/// A language model behind an HTTP endpoint. Throws Error(usage) for a base URL that is none or has user info in it.
std::unique_ptr<ChatModel> connect(EndpointOptions options);

/// The key from the environment variable or file that the user named. Throws Error(usage) when neither holds one. For
/// an empty `variable` and `file` the protocol's usual variable is looked at (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`)
/// and a missing key is an empty one, as local servers want none.
std::string load_key(Protocol protocol, const std::string& variable, const std::string& file);

}  // namespace memuse::chat
