#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "model/records.h"

// What model calls cost (docs/cost.md): as recorded, else tokens × price, call by call; what neither gives is unknown
// and is counted, never taken as 0.

namespace memuse::rules {

/// US dollars per million tokens.
struct TokenPrice {
  double input = 0.0;
  double cached_input = 0.0;
  double output = 0.0;
};

/// The price of a model, by the name that the trace or the judge has for it; nothing when it is not known. An empty
/// function knows no price, so nothing is estimated.
using PriceOf = std::function<std::optional<TokenPrice>(std::string_view model)>;

/// US dollars for these tokens; the cached part has a price of its own.
[[nodiscard]] double price_of_tokens(const UncostedCalls& calls, const TokenPrice& price);

/// What calls of one kind (agent, side models, judge) cost.
struct CallCost {
  double recorded_usd = 0.0;
  double estimated_usd = 0.0;         ///< tokens × price of the calls without a recorded cost
  std::uint64_t calls = 0;            ///< as far as the trace counts them
  std::uint64_t estimated_calls = 0;  ///< among them
  std::uint64_t unknown_calls = 0;    ///< neither recorded nor estimated
  bool any_known = false;             ///< false: nothing was recorded and nothing could be estimated

  /// US dollars of all calls; nothing when one of them is unknown or nothing is known.
  [[nodiscard]] std::optional<double> whole() const {
    return any_known && unknown_calls == 0 ? std::optional(recorded_usd + estimated_usd) : std::nullopt;
  }
  /// US dollars of the calls that are known: too low when `unknown_calls` is not 0; nothing when none is known.
  [[nodiscard]] std::optional<double> known() const {
    return any_known ? std::optional(recorded_usd + estimated_usd) : std::nullopt;
  }
  CallCost& operator+=(const CallCost& other);
};

/// What an execution cost.
struct EpisodeCost {
  CallCost agent;
  CallCost side;  ///< of side models: the memory system's own calls. Without calls none were recorded

  /// Agent and side calls together, US dollars; nothing when the cost of a recorded call is unknown or the agent's is.
  /// An episode without recorded side calls costs what its agent costs.
  [[nodiscard]] std::optional<double> usd() const;
  /// True when a part of `usd` is tokens × price.
  [[nodiscard]] bool is_estimated() const { return agent.estimated_calls + side.estimated_calls > 0; }
  [[nodiscard]] std::uint64_t unknown_calls() const { return agent.unknown_calls + side.unknown_calls; }
};

/// The cost of one episode, retained or not: callers leave out attempts that were set aside.
[[nodiscard]] EpisodeCost episode_cost(const EpisodeRecord& episode, const PriceOf& price_of);

/// The cost of a judgement set. Its calls are kept as sums, so they are estimated only when none of them has a recorded
/// cost and all have tokens.
[[nodiscard]] CallCost judge_cost(const JudgementSetRecord& set, const PriceOf& price_of);

}  // namespace memuse::rules
