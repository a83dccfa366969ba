#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evidence/episode_parts.h"

namespace memuse::evidence {

/// Which evidence file shows a part of a message.
enum class TextHome : std::uint8_t { target, deliveries, task, step, other_messages, prior_context };

/// A run of bytes of a message of the input.
struct InputPart {
  ByteRange range;  ///< of the message's text
  TextHome home = TextHome::other_messages;
  std::uint32_t delivery = 0;  ///< index, for `target` and `deliveries`
};

/// A message of V(first) with the homes of all its bytes.
struct InputMessage {
  std::uint32_t message = 0;
  TextId text = 0;
  bool rewritten = false;        ///< its text is not the one that its step file, or its delivery, shows
  std::vector<InputPart> parts;  ///< ascending, without gaps; none for an empty text
};

/// The visible input at the first step of a span, taken apart: every byte has one home.
struct PriorInput {
  std::vector<InputMessage> messages;     ///< in the order of the input
  std::vector<std::uint32_t> deliveries;  ///< other deliveries that can be seen there, ascending
  std::vector<std::uint32_t> steps;       ///< steps whose files show a part of it, ascending
};

/// The delivery that a span's target is; nothing when it is an empty search.
std::optional<std::uint32_t> target_delivery(const EpisodeEvidence::Parts& parts, const Span& span);

PriorInput prior_input(const EpisodeEvidence::Parts& parts, const Span& span);

/// True for messages whose text stands in `task`: the task itself, and what users said later.
bool belongs_to_task(const Message& message);

/// Cuts [0, size) at the placed texts of `deliveries` that stand in text `text` of their message. The target comes
/// before the others, and of those the one that begins first; the rest is for `plain`.
std::vector<InputPart> cut_at_deliveries(const Episode& episode, TextId text,
                                         const std::vector<std::uint32_t>& deliveries,
                                         std::optional<std::uint32_t> target, TextHome plain);

}  // namespace memuse::evidence
