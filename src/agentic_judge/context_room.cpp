#include "agentic_judge/context_room.h"

#include <algorithm>

namespace memuse::agentic_judge {
namespace {

constexpr std::uint64_t kEnoughToLearn = 2'000;  ///< bytes; in less, the endpoint's own additions weigh too much
// Between scripts with many bytes a token and texts of rare characters; what lies outside is a miscount.
constexpr double kFewestTokensPerByte = 0.1;
constexpr double kMostTokensPerByte = 1.0;

constexpr std::uint64_t kLargestWindow = std::uint64_t{1} << 40U;  ///< tokens; keeps the arithmetic exact

}  // namespace

ContextRoom::ContextRoom(const Budget& budget)
    : tokens_(std::min(budget.context_tokens - budget.max_output_tokens, kLargestWindow)) {}

std::uint64_t ContextRoom::most_bytes() const {
  const double bytes = static_cast<double>(tokens_) / tokens_per_byte_;
  return std::min(ceiling_, static_cast<std::uint64_t>(bytes));
}

void ContextRoom::learn(std::uint64_t bytes, std::uint64_t tokens) {
  if (bytes < kEnoughToLearn) return;
  tokens_per_byte_ =
      std::clamp(static_cast<double>(tokens) / static_cast<double>(bytes), kFewestTokensPerByte, kMostTokensPerByte);
}

void ContextRoom::was_too_long(std::uint64_t bytes) {
  ceiling_ = std::min(ceiling_, bytes / 4 * 3);
}

}  // namespace memuse::agentic_judge
