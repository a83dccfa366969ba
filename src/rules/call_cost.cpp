#include "rules/call_cost.h"

#include <algorithm>

namespace memuse::rules {
namespace {

constexpr double kTokensPerPrice = 1'000'000.0;

CallCost cost_of_calls(const CallTotals& totals, const std::vector<UncostedCalls>& uncosted, const PriceOf& price_of) {
  CallCost cost;
  cost.calls = totals.calls;
  cost.recorded_usd = totals.cost_usd;
  cost.unknown_calls = totals.calls_without_cost;
  cost.any_known = totals.calls > totals.calls_without_cost || totals.cost_usd > 0.0;
  for (const UncostedCalls& group : uncosted) {
    const auto price = price_of && !group.model.empty() ? price_of(group.model) : std::nullopt;
    if (!price) {
      // Totals of an episode without steps: no call is counted, and yet their cost is unknown.
      if (totals.calls == 0) cost.unknown_calls += group.calls;
      continue;
    }
    cost.estimated_usd += price_of_tokens(group, *price);
    cost.estimated_calls += group.calls;
    cost.unknown_calls -= std::min(cost.unknown_calls, group.calls);
    cost.any_known = true;
  }
  return cost;
}

}  // namespace

double price_of_tokens(const UncostedCalls& calls, const TokenPrice& price) {
  const std::uint64_t cached = std::min(calls.cached_input_tokens, calls.input_tokens);
  const std::uint64_t fresh = calls.input_tokens - cached;
  return (static_cast<double>(fresh) * price.input + static_cast<double>(cached) * price.cached_input +
          static_cast<double>(calls.output_tokens) * price.output) /
         kTokensPerPrice;
}

CallCost& CallCost::operator+=(const CallCost& other) {
  recorded_usd += other.recorded_usd;
  estimated_usd += other.estimated_usd;
  calls += other.calls;
  estimated_calls += other.estimated_calls;
  unknown_calls += other.unknown_calls;
  any_known = any_known || other.any_known;
  return *this;
}

std::optional<double> EpisodeCost::usd() const {
  const std::optional<double> of_agent = agent.whole();
  if (!of_agent || side.unknown_calls > 0) return std::nullopt;
  return *of_agent + side.known().value_or(0.0);
}

EpisodeCost episode_cost(const EpisodeRecord& episode, const PriceOf& price_of) {
  return {cost_of_calls(episode.agent, episode.agent_uncosted, price_of),
          cost_of_calls(episode.side, episode.side_uncosted, price_of)};
}

CallCost judge_cost(const JudgementSetRecord& set, const PriceOf& price_of) {
  CallTotals totals;
  totals.calls = set.calls;
  totals.cost_usd = set.cost_usd.value_or(0.0);
  totals.calls_without_cost = set.calls_without_cost;
  std::vector<UncostedCalls> uncosted;
  if (set.calls > 0 && set.calls_without_cost == set.calls && set.calls_without_tokens == 0) {
    uncosted.push_back({set.judge, set.calls, set.input_tokens, set.cached_input_tokens, set.output_tokens});
  }
  return cost_of_calls(totals, uncosted, price_of);
}

}  // namespace memuse::rules
