#include "chat/response_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "chat/base_url.h"
#include "chat/protocol.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

/// How endpoints say that the conversation is too long: OpenAI, Anthropic, vLLM, llama.cpp, Bedrock, Gemini and others.
constexpr std::array<std::string_view, 16> kTooLongWords{"context_length_exceeded",
                                                         "maximum context length",
                                                         "prompt is too long",
                                                         "prompt too long",
                                                         "exceed context limit",
                                                         "exceeds the context",
                                                         "exceed the context",
                                                         "exceeds the available context size",
                                                         "exceed_context_size",
                                                         "exceeds the model's context",
                                                         "context window",
                                                         "longer than the context",
                                                         "input is too long",
                                                         "input length exceeds",
                                                         "exceeds the maximum number of tokens",
                                                         "reduce the length of the messages"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool says_too_long(const std::string& words) {
  const std::string text = lower(words);
  return std::any_of(kTooLongWords.begin(), kTooLongWords.end(),
                     [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

bool has(const std::string& words, std::string_view part) {
  return words.find(part) != std::string::npos;
}

/// What a refused request can be helped by.
std::string advice_on(const std::string& words_as_given) {
  const std::string words = lower(words_as_given);
  if (has(words, "temperature")) return "run without --temperature, or with the value that the model takes";
  if (has(words, "seed")) return "run without --model-seed";
  if (has(words, "max_tokens") || has(words, "max_completion_tokens") || has(words, "output tokens")) {
    return "the model allows fewer output tokens a call; lower their number";
  }
  if (has(words, "tool")) return "if the model has no tool calls, run with --tool-protocol json";
  if (has(words, "stream")) return "run with --no-stream";
  return "";
}

ResponseFault fault_of_transfer(const HttpResponse& response, const HttpOptions& options) {
  const std::string detail = printable(response.detail);
  const auto seconds = [](std::chrono::milliseconds time) {
    return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000.0);
  };
  switch (response.end) {
    case TransferEnd::no_connection:
      return {ChatFault::unreachable, "no connection: " + detail,
              "check --base-url, the network and the proxy settings", true};
    case TransferEnd::tls_refused:
      return {ChatFault::unreachable, "the TLS certificate is not trusted: " + detail,
              "nothing was sent; name the certificate authority with --ca-file if it is your own", false};
    case TransferEnd::dropped:
      return {ChatFault::unreachable, "the connection was dropped: " + detail, "", true};
    case TransferEnd::garbled:
      return {ChatFault::bad_reply, "what came is not HTTP: " + detail, "check --base-url", true};
    case TransferEnd::idle:
      return {ChatFault::unreachable, "no byte for " + seconds(options.idle_timeout),
              "a slow model may need a longer --idle-timeout", true};
    case TransferEnd::too_slow:
      return {ChatFault::unreachable, "no whole reply within " + seconds(options.call_timeout), "", true};
    case TransferEnd::too_large:
      return {ChatFault::too_large, fmt::format("the reply is larger than {} bytes", options.max_body_bytes),
              "this is no answer of a model; check --base-url", false};
    case TransferEnd::stopped:
      return {ChatFault::stopped, "stopped while waiting for a reply", "", false};
    case TransferEnd::complete:
    case TransferEnd::failed:
      break;
  }
  return {ChatFault::unreachable, "the request failed: " + detail, "check --base-url and --ca-file", false};
}

ResponseFault fault_of_refusal(long status, const std::string& words, const std::string& what) {
  if (status == 401 || status == 403) {
    return {ChatFault::refused_key, "the key was refused: " + what,
            "check the key (--key-env, --key-file) and what it may use", false};
  }
  if (status == 402 || (status == 429 && has(words, "insufficient_quota"))) {
    return {ChatFault::refused_key, "the account has no credit: " + what, "top it up or use another key", false};
  }
  if (status == 413 || ((status == 400 || status == 422) && says_too_long(words))) {
    return {ChatFault::context_too_long, "the conversation is too long for the model: " + what, "", false};
  }
  if (status == 404) {
    return {ChatFault::refused_request, what,
            "check --model, and that --base-url is the part before the endpoint's path", false};
  }
  return {ChatFault::refused_request, what, advice_on(words), false};
}

bool is_worth_another_try(long status) {
  constexpr std::array<long, 4> kLater{408, 409, 425, 429};
  return status >= 500 || std::find(kLater.begin(), kLater.end(), status) != kLater.end();
}

}  // namespace

ResponseFault fault_of(const HttpResponse& response, const HttpOptions& options) {
  // A status that refuses the request counts even when its text was cut off.
  const bool refused = response.status >= 300 && response.end != TransferEnd::stopped;
  if (response.end != TransferEnd::complete && !refused) return fault_of_transfer(response, options);
  const std::string words = error_words(response.body);
  const std::string what = fmt::format("HTTP {}: {}", response.status, words);
  if (response.status < 400) {
    return {
        ChatFault::refused_request,
        fmt::format("HTTP {}: it redirects to {}, which is not followed", response.status, host_of(response.location)),
        "give the final address as --base-url if you trust it", false};
  }
  if (response.status == 429 && !has(words, "insufficient_quota")) {
    return {ChatFault::rate_limited, "rate limited (" + what + ")", "lower --parallel or come back later", true};
  }
  // Some local servers answer a conversation that is too long with 500.
  if (response.status == 500 && says_too_long(words)) return fault_of_refusal(400, words, what);
  if (is_worth_another_try(response.status) && response.status != 429) {
    return {ChatFault::unreachable, what, "the endpoint has trouble; come back later", true};
  }
  return fault_of_refusal(response.status, words, what);
}

ResponseFault fault_of_reported(const std::string& words, const std::string& what) {
  if (says_too_long(words)) return fault_of_refusal(400, words, what);
  return {ChatFault::bad_reply, what, "", true};
}

}  // namespace memuse::chat
