#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

// A conversation with a language model, in words that every endpoint's form can be made from.

namespace memuse::chat {

enum class ChatRole : std::uint8_t { system, user, assistant, tool };

/// A call of a tool that the model asks for.
struct ToolCall {
  std::string id;  ///< as the endpoint gave it, or made up (`call-<n>`) where it gave none
  std::string name;
  std::string arguments;  ///< as the model wrote it: JSON in good replies, anything in bad ones
  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

/// One message of the conversation.
struct ChatMessage {
  ChatRole role = ChatRole::user;
  std::string text;
  std::vector<ToolCall> tool_calls;  ///< of the assistant
  std::string tool_call_id;          ///< of a tool's result
  /// The assistant's message as the endpoint gave it, when it must go back unchanged (signed reasoning blocks); null
  /// otherwise.
  nlohmann::json as_received;
};

/// A tool that the model may call.
struct ToolSpec {
  std::string name;
  std::string description;
  nlohmann::ordered_json parameters;  ///< JSON Schema of the arguments; its order is the order to write in
};

/// One request. What depends on the endpoint (its URL, key, form, retries) is not here.
struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::vector<ToolSpec> tools;  ///< none: plain text is asked for
  std::string forced_tool;      ///< the model has to call this one; empty: it is free
  std::uint32_t max_output_tokens = 32'768;
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;
};

/// Tokens of one call as the endpoint counted them; nothing where it did not say.
struct TokenUsage {
  std::optional<std::uint64_t> input;  ///< includes the cached part and what was written to the cache
  std::optional<std::uint64_t> cached_input;
  std::optional<std::uint64_t> cache_write;  ///< part of `input` that was written to a prompt cache
  std::optional<std::uint64_t> output;       ///< includes reasoning
  std::optional<double> cost_usd;            ///< as some gateways state it
  friend bool operator==(const TokenUsage&, const TokenUsage&) = default;
};

enum class FinishReason : std::uint8_t { stop, tool_calls, length, refused, other };

/// What came back.
struct ChatReply {
  ChatMessage message;
  std::string reasoning;  ///< shown reasoning, where the endpoint gives it; never sent back as text
  FinishReason finish = FinishReason::stop;
  TokenUsage usage;
  std::string model;  ///< the model id that the endpoint returned; empty if none
};

/// JSON of a request as every endpoint's form is made from: what a recording is keyed by. No key, no host.
nlohmann::ordered_json to_json(const ChatRequest& request);
/// JSON of a reply for recordings and stored ledgers, and back. `reply_from_json` throws nlohmann exceptions on another
/// form.
nlohmann::ordered_json to_json(const ChatReply& reply);
ChatReply reply_from_json(const nlohmann::json& json);

}  // namespace memuse::chat
