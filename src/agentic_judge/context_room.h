#pragma once

#include <cstdint>

#include "agentic_judge/span_judge.h"

namespace memuse::agentic_judge {

/// How many bytes of conversation fit into a model's context window. Begins with four bytes a token and learns from
/// what the endpoint counts.
class ContextRoom {
 public:
  /// `budget.context_tokens` is larger than `budget.max_output_tokens`.
  explicit ContextRoom(const Budget& budget);

  /// Most bytes that a request may have, room for the reply left free.
  [[nodiscard]] std::uint64_t most_bytes() const;
  /// Takes in that a request of that many bytes was counted as so many tokens.
  void learn(std::uint64_t bytes, std::uint64_t tokens);
  /// Takes in that a request of that many bytes was refused as too long.
  void was_too_long(std::uint64_t bytes);

 private:
  std::uint64_t tokens_;
  double tokens_per_byte_ = 0.25;
  std::uint64_t ceiling_ = UINT64_MAX;  ///< bytes; learnt from refusals
};

}  // namespace memuse::agentic_judge
