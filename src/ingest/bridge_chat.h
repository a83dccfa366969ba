#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ingest/json.h"
#include "model/episode.h"

namespace memuse::ingest::bridge {

/// One message of a chat, as logs and requests hold it. Its texts live in the arena of the episode.
struct ChatMessage {
  Role role = Role::user;
  std::string_view text;
  std::string_view reasoning;
  std::string_view call_id;  ///< of the tool call that it answers
  std::vector<Action> actions;

  /// Equal for the same message recorded twice, even if its text was shortened meanwhile: the role with the ids of its
  /// tool calls, else with its text.
  [[nodiscard]] Hash128 identity() const;
  /// Equal when role, text and tool call ids are: how requests are compared with the log.
  [[nodiscard]] Hash128 content() const;
};

/// Reads a chat message in any of the shapes of bridge-v6: content as a string, as parts, or as a reference to content;
/// tool calls beside it or as parts. Nothing when the object names no role.
std::optional<ChatMessage> read_chat_message(const JsonValue& message, Arena& arena);

/// The message of a `message_end` event: under `message`, `data.message`, or on the event itself.
std::optional<ChatMessage> read_event_message(const JsonValue& event, Arena& arena);

}  // namespace memuse::ingest::bridge
