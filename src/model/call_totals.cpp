#include "model/call_totals.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace memuse {
namespace {

bool has_tokens(const Usage& usage) {
  return usage.input && usage.output;
}

std::string_view model_of(const Step& step, const Episode& episode) {
  return step.model.empty() ? episode.model : step.model;
}

/// The model of all steps, the episode's when there are none; empty when they differ.
std::string_view only_model(const Episode& episode) {
  if (episode.steps.empty()) return episode.model;
  const std::string_view first = model_of(episode.steps.front(), episode);
  const bool same = std::all_of(episode.steps.begin(), episode.steps.end(),
                                [&](const Step& step) { return model_of(step, episode) == first; });
  return same ? first : std::string_view();
}

void add_call(CallTotals& totals, const Usage& usage, const std::optional<double>& cost_usd) {
  ++totals.calls;
  totals.input_tokens += usage.input.value_or(0);
  totals.cached_input_tokens += usage.cached_input.value_or(0);
  totals.output_tokens += usage.output.value_or(0);
  if (!has_tokens(usage)) ++totals.calls_without_tokens;
  totals.cost_usd += cost_usd.value_or(0.0);
  if (!cost_usd) ++totals.calls_without_cost;
}

void take_totals(CallTotals& agent, const AgentTotals& totals) {
  if (agent.calls == 0 || agent.calls_without_tokens > 0) {
    if (has_tokens(totals.usage)) {
      agent.input_tokens = *totals.usage.input;
      agent.cached_input_tokens = totals.usage.cached_input.value_or(0);
      agent.output_tokens = *totals.usage.output;
      agent.calls_without_tokens = 0;
    }
  }
  if ((agent.calls == 0 || agent.calls_without_cost > 0) && totals.cost_usd) {
    agent.cost_usd = *totals.cost_usd;
    agent.calls_without_cost = 0;
  }
}

/// Sums by model, in the order of the names.
class UncostedSums {
 public:
  /// Takes in what has both token counts; the rest cannot be priced.
  void add(std::string_view model, std::uint64_t calls, const Usage& usage) {
    if (!has_tokens(usage)) return;
    UncostedCalls& sum = sums_[model];
    sum.calls += calls;
    sum.input_tokens += *usage.input;
    sum.cached_input_tokens += usage.cached_input.value_or(0);
    sum.output_tokens += *usage.output;
  }
  [[nodiscard]] std::vector<UncostedCalls> list() const {
    std::vector<UncostedCalls> all;
    for (const auto& [model, sum] : sums_) {
      all.push_back(sum);
      all.back().model = model;
    }
    return all;
  }

 private:
  std::map<std::string_view, UncostedCalls> sums_;
};

}  // namespace

CallTotals agent_totals(const Episode& episode) {
  CallTotals totals;
  for (const Step& step : episode.steps) add_call(totals, step.usage, step.cost_usd);
  if (episode.totals) take_totals(totals, *episode.totals);
  return totals;
}

CallTotals side_totals(const Episode& episode) {
  CallTotals totals;
  for (const SideCall& call : episode.side_calls) add_call(totals, call.usage, call.cost_usd);
  return totals;
}

std::vector<UncostedCalls> agent_calls_without_cost(const Episode& episode) {
  const std::vector<Step>& steps = episode.steps;
  const bool episode_has_cost = episode.totals && episode.totals->cost_usd;
  if (episode_has_cost) return {};
  const bool no_step_has_cost =
      std::none_of(steps.begin(), steps.end(), [](const Step& step) { return step.cost_usd; });
  const bool every_step_has_tokens = !steps.empty() && std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return has_tokens(step.usage);
  });
  UncostedSums sums;
  if (episode.totals && has_tokens(episode.totals->usage) && no_step_has_cost && !every_step_has_tokens) {
    sums.add(only_model(episode), std::max<std::uint64_t>(steps.size(), 1), episode.totals->usage);
    return sums.list();
  }
  for (const Step& step : steps) {
    if (!step.cost_usd) sums.add(model_of(step, episode), 1, step.usage);
  }
  return sums.list();
}

std::vector<UncostedCalls> side_calls_without_cost(const Episode& episode) {
  UncostedSums sums;
  for (const SideCall& call : episode.side_calls) {
    if (!call.cost_usd) sums.add(call.model, 1, call.usage);
  }
  return sums.list();
}

}  // namespace memuse
