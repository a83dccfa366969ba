#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/json.h"
#include "model/episode.h"

namespace memuse::ingest {

/// What kind of text a user record of Claude Code holds.
enum class ClaudePrompt : std::uint8_t {
  person,  ///< typed by a person
  clear,   ///< the command /clear
  harness  ///< another command, its output, or a remark of the tool
};
ClaudePrompt classify_claude_prompt(std::string_view text);

/// Name of the folder that a session's file is in; the tool's own folders below it (`SESSION/subagents`) do not count.
/// The same for a relative and an absolute path; empty at the root.
std::string claude_run_folder(const std::string& path, std::string_view session);

/// The text of `content`: a string, or the texts of its text blocks with a line end between them.
std::string claude_content_text(const JsonValue* content);

/// What an attachment puts into the conversation.
struct ClaudeAttachment {
  Role role = Role::user;
  Origin origin = Origin::other;
  std::string text;
};
/// Nothing for attachments of which the record does not hold what was sent. Files and hook output stand in the record
/// bare; they get the wrapping that the tool puts around them when it sends them.
std::optional<ClaudeAttachment> claude_attachment(const JsonValue& attachment);

}  // namespace memuse::ingest
