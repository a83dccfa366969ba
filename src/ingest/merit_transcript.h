#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The transcript of one MERIT episode: the memory block, then user turns, tool lines and assistant texts. Nothing in it
// is escaped, and the block may hold earlier transcripts, so where the block ends takes a rule.

namespace memuse::ingest {

/// How the end of a memory block was found; the first two rest on the same task's first user message as another
/// condition's trace gives it, the others on the record alone.
enum class BlockRule : std::uint8_t { c0_message, c4_message, first_user_line, tool_lines, last_user_line };
std::string_view name(BlockRule rule);
std::optional<BlockRule> parse_block_rule(std::string_view name);

struct BlockEnd {
  std::uint64_t bytes = 0;  ///< length of the block
  BlockRule rule = BlockRule::last_user_line;
  friend bool operator==(const BlockEnd&, const BlockEnd&) = default;
};

/// The first user message of a task, as the trace of a condition with an unambiguous block (C0, C4) gives it.
struct KnownMessage {
  std::string_view text;
  BlockRule rule = BlockRule::c0_message;  ///< `c0_message` or `c4_message`
};

/// What follows the line `[memory shown]`; nothing when the transcript does not start so.
std::optional<std::string_view> after_memory_heading(std::string_view transcript);

/// The line of one call in a transcript, without line feeds around it; `arguments` in Python's printed form.
std::string tool_line(std::string_view name, std::string_view arguments, std::string_view out);

/// The first user message of a transcript whose block holds no line that starts like a user turn.
std::optional<std::string_view> first_message(std::string_view after_heading);

/// Where the block at the start of `after_heading` ends: before the last occurrence of the known first message; else by
/// the first user line where no block can hold one (`plain_block`); else before the last user line in front of the
/// calls, matched from the end; else before the last user line. Nothing when there is no user line.
std::optional<BlockEnd> find_block_end(std::string_view after_heading, const std::optional<KnownMessage>& known,
                                       bool plain_block, const std::vector<std::string>& tool_lines);

/// One part of what follows the block.
struct TurnPart {
  enum class Kind : std::uint8_t { user, call, assistant };
  Kind kind = Kind::user;
  std::string_view text;  ///< of a user or assistant part
  std::size_t call = 0;   ///< index of the call
};

struct Turns {
  std::vector<TurnPart> parts;      ///< every call once, in order
  std::size_t calls_not_found = 0;  ///< calls whose line is not in the transcript; they stand behind the call before
};

/// Cuts what follows the block (it starts with a line feed) into its parts.
Turns split_turns(std::string_view after_block, const std::vector<std::string>& tool_lines);

}  // namespace memuse::ingest
