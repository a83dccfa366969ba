#include "model/call_totals.h"

namespace memuse {
namespace {

void add_call(CallTotals& totals, const Usage& usage, const std::optional<double>& cost_usd) {
  ++totals.calls;
  totals.input_tokens += usage.input.value_or(0);
  totals.cached_input_tokens += usage.cached_input.value_or(0);
  totals.output_tokens += usage.output.value_or(0);
  if (!usage.input || !usage.output) ++totals.calls_without_tokens;
  totals.cost_usd += cost_usd.value_or(0.0);
  if (!cost_usd) ++totals.calls_without_cost;
}

void take_totals(CallTotals& agent, const AgentTotals& totals) {
  if (agent.calls == 0 || agent.calls_without_tokens > 0) {
    if (totals.usage.input && totals.usage.output) {
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

}  // namespace memuse
