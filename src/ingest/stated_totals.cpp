#include "ingest/stated_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace memuse::ingest {
namespace {

/// The sum of one quantity over calls.
template <typename Number>
struct KnownSum {
  Number sum{};
  bool complete = true;  // every call states it

  void add(const std::optional<Number>& value) {
    value ? static_cast<void>(sum += *value) : static_cast<void>(complete = false);
  }
};

bool equal(std::uint64_t a, std::uint64_t b) {
  return a == b;
}

/// Sums of decimals in another order differ in their last digits.
bool equal(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// `of_step` and `of_side` give the quantity of a step and of a side call.
template <typename Number, typename OfStep, typename OfSide>
void compare(const Episode& episode, const std::optional<Number>& stated, std::string_view what, RecordPlace place,
             DiagnosticLog& log, const OfStep& of_step, const OfSide& of_side) {
  if (!stated || episode.steps.empty()) return;
  KnownSum<Number> steps;
  for (const Step& step : episode.steps) steps.add(of_step(step));
  KnownSum<Number> all = steps;
  for (const SideCall& call : episode.side_calls) all.add(of_side(call));
  const bool some_sum_agrees = equal(*stated, steps.sum) || equal(*stated, all.sum);
  const bool may_hold_more = !steps.complete && *stated > steps.sum;
  if (some_sum_agrees || may_hold_more) return;
  log.add(
      Severity::note, Fault::stated_count, place.line, place.byte,
      fmt::format("{}: {} stated for the episode, {} in its {} steps{}", what, *stated, steps.sum, episode.steps.size(),
                  equal(all.sum, steps.sum) ? std::string() : fmt::format(", {} with its side calls", all.sum)));
}

}  // namespace

void reconcile_totals(const Episode& episode, const AgentTotals& stated, RecordPlace place, DiagnosticLog& log) {
  const auto usage = [&](const std::optional<std::uint64_t>& total, std::optional<std::uint64_t> Usage::*member,
                         std::string_view what) {
    const auto of = [member](const auto& call) { return call.usage.*member; };
    compare(episode, total, what, place, log, of, of);
  };
  usage(stated.usage.input, &Usage::input, "input tokens");
  usage(stated.usage.cached_input, &Usage::cached_input, "cached input tokens");
  usage(stated.usage.output, &Usage::output, "output tokens");
  const auto cost = [](const auto& call) { return call.cost_usd; };
  compare(episode, stated.cost_usd, "cost in USD", place, log, cost, cost);
}

}  // namespace memuse::ingest
