#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_message.h"
#include "evidence/evidence_tools.h"

namespace memuse::agentic_judge {

/// The messages of one span's judging, with what each tool result shows and whether the model has been sent it. Results
/// can be dropped to save room: their text is replaced by a line that says what it was.
class Conversation {
 public:
  /// `settings` has tools, limits and so on; its messages are replaced by the two given.
  Conversation(chat::ChatRequest settings, std::string system, std::string first);

  /// A message of the program to the model.
  void add_message(std::string text);
  /// A reply of the model; one without text and calls is left out, as endpoints refuse empty messages.
  void add_reply(const chat::ChatMessage& reply);
  /// The result of a call, as an answer to it or, `by_message`, as a message.
  void add_result(const chat::ToolCall& call, bool by_message, evidence::ToolResult result);

  /// What is to be sent; `forced_tool` as in `ChatRequest`.
  const chat::ChatRequest& request(std::string_view forced_tool);
  /// Bytes of text in the next request, tools included.
  [[nodiscard]] std::uint64_t bytes() const { return tool_bytes_ + message_bytes_; }

  /// Notes that the last request was answered: what its results show has been seen. Gives these ranges, once.
  std::vector<evidence::ShownRange> mark_sent();

  /// Drops results until `bytes()` is at most `most`: first those that were sent, the oldest first, down to `goal` (so
  /// that the beginning of the conversation stays the same for some calls); then, when it must be, those that were
  /// never sent, the newest first. Returns whether anything was dropped.
  bool make_room(std::uint64_t most, std::uint64_t goal);

 private:
  enum class State : std::uint8_t { plain, unsent, sent, dropped };
  struct Note {
    State state = State::plain;
    std::uint64_t bytes = 0;
    std::string heading;  ///< stands before a result given as a message
    std::vector<evidence::ShownRange> shown;
  };

  void add(chat::ChatMessage message, Note note);
  bool drop(std::size_t index, const std::string& text);

  chat::ChatRequest request_;
  std::vector<Note> notes_;  ///< one per message of the request
  std::uint64_t tool_bytes_ = 0;
  std::uint64_t message_bytes_ = 0;
};

}  // namespace memuse::agentic_judge
