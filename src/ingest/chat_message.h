#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/json.h"
#include "model/episode.h"

namespace memuse::ingest {

/// Texts of many calls that repeat each other, each kept once.
class SharedTexts {
 public:
  std::string_view keep(std::string_view text);
  [[nodiscard]] Arena& arena() { return arena_; }

 private:
  struct HashOfText {
    std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
  };
  Arena arena_;
  std::unordered_map<Hash128, std::string_view, HashOfText> texts_;
};

/// One message of a request or an answer, whichever interface it was written for.
struct ChatMessage {
  Role role = Role::user;
  std::string_view text;
  std::string_view reasoning;
  std::string_view tool_call;   ///< id of the call that it answers
  std::vector<Action> actions;  ///< tool calls
  Hash128 key;                  ///< of what is said, whatever its form: equal for the same message in another request
};

/// The key of a message.
Hash128 key_of_message(const ChatMessage& message);

/// Messages as they were read.
struct ChatMessages {
  std::vector<ChatMessage> list;
  bool whole = true;  ///< false when something that the model saw (an image, say) is not in it
};

/// Adds the messages of an array (or the one that an object is, or the text of a user message): of chat completions,
/// the Responses interface, Anthropic's interface (tool results become messages of their own) and LangChain.
void read_chat_messages(const JsonValue& value, SharedTexts& texts, ChatMessages& messages);

/// Adds what is said outside the messages, as the system prompts of Anthropic's and the Responses interface are.
void add_system_prompt(const JsonValue* value, SharedTexts& texts, ChatMessages& messages);

/// Several messages as one answer: texts and tool calls in their order; nothing when there is none.
ChatMessage joined_answer(const std::vector<ChatMessage>& messages, SharedTexts& texts);

}  // namespace memuse::ingest
