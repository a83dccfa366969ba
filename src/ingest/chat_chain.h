#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ingest/chat_call.h"
#include "model/episode.h"

namespace memuse::ingest {

/// Calls of one conversation, by their places in a list.
struct ChatChain {
  std::string conversation;         ///< the writer's id; empty for none
  std::vector<std::size_t> calls;   ///< of the agent, in order
  std::vector<std::size_t> asides;  ///< retries, titles, summaries: they cost, and are no steps
  bool broken = false;              ///< a request begins in another way than the one before it went on
};

/// Puts calls together: one follows another when its request begins with the other's request and answer. In a
/// conversation with an id a request that begins in another way, under the same system prompt, follows too (something
/// was dropped); small calls without tools beside one with tools are asides, and so is a call whose very request is
/// sent again. `calls` must stand in the order in which they began.
std::vector<ChatChain> chain_calls(const std::vector<ChatCall>& calls);

/// The order for `chain_calls`: by time, the shorter request first.
void sort_calls(std::vector<ChatCall>& calls);

/// The episode of a chain; it lacks its names and its source. Nothing for one without any answer.
std::optional<Episode> chain_episode(const ChatChain& chain, const std::vector<ChatCall>& calls);

}  // namespace memuse::ingest
