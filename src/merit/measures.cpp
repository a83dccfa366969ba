#include "merit/measures.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>

namespace memuse::merit {
namespace {

void add_use(const ScoredEpisode& episode, ConditionMeasures& measures) {
  if (!episode.dependent || !episode.memory_had_fact.value_or(false)) return;
  const std::optional<bool> used =
      episode.memory_utilized ? episode.memory_utilized : episode.memory_utilized_recomputed;
  if (used) measures.use.add(*used);
  if (!used) ++measures.use_unknown;
  if (episode.memory_utilized_recomputed) measures.use_recomputed.add(*episode.memory_utilized_recomputed);
}

void add_spending(const ScoredEpisode& episode, ConditionMeasures& measures) {
  const auto add = [](Mean& mean, const auto& value) {
    if (value) mean.add(static_cast<double>(*value));
  };
  add(measures.tokens, episode.tokens);
  add(measures.memory_tokens, episode.memory_tokens);
  add(measures.cost_usd, episode.cost_usd());
  add(measures.agent_cost_usd, episode.agent_cost_usd);
  add(measures.memory_cost_usd, episode.memory_cost_usd);
  add(measures.seconds, episode.seconds);
}

CostVerdict verdict_of(double gain, double cost) {
  if (cost > 0) return CostVerdict::ratio;
  if (gain > 0) return CostVerdict::dominates;
  if (gain < 0) return cost < 0 ? CostVerdict::cheaper_worse : CostVerdict::dominated;
  return cost < 0 ? CostVerdict::dominates : CostVerdict::equal;
}

}  // namespace

std::string_view name(CostVerdict verdict) {
  switch (verdict) {
    case CostVerdict::ratio:
      return "ratio";
    case CostVerdict::dominates:
      return "dominates";
    case CostVerdict::dominated:
      return "dominated";
    case CostVerdict::cheaper_worse:
      return "cheaper and worse";
    case CostVerdict::equal:
      break;
  }
  return "equal";
}

bool seed_less(std::string_view a, std::string_view b) {
  const auto key = [](std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool numeric = !text.empty() && error == std::errc{} && end == text.data() + text.size();
    return std::tuple(!numeric, numeric ? number : 0, text);
  };
  return key(a) < key(b);
}

ConditionMeasures measure(const std::string& condition, std::span<const GroupRow> rows) {
  ConditionMeasures measures;
  measures.condition = condition;
  std::map<std::string_view, SeedMeasures, SeedLess> seeds;
  for (const GroupRow& row : rows) {
    const ScoredEpisode& episode = *row.episode;
    if (episode.condition != condition || !episode.setting.clean()) continue;
    ++measures.n;
    SeedMeasures& seed = seeds[episode.seed];
    (episode.dependent ? measures.dependent : measures.independent).add(episode.success);
    (episode.dependent ? seed.dependent : seed.independent).add(episode.success);
    if (!episode.pre_satisfied) ++measures.unchecked;
    if (episode.pre_satisfied.value_or(false)) ++measures.pre_satisfied;
    add_use(episode, measures);
    add_spending(episode, measures);
  }
  std::vector<double> rates;
  for (auto& [name, seed] : seeds) {
    seed.seed = name;
    if (seed.dependent.n > 0) rates.push_back(*seed.dependent.value());
    measures.seeds.push_back(std::move(seed));
  }
  measures.seed_spread = stats::spread_of(rates);
  return measures;
}

std::optional<Economy> economy(const ConditionMeasures& condition, const ConditionMeasures& baseline,
                               bool as_published) {
  const auto complete = [](const ConditionMeasures& side) { return side.dependent.n > 0 && side.cost_usd.n == side.n; };
  if (!complete(condition) || !complete(baseline)) return std::nullopt;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Economy result;
  result.delta_success = *condition.dependent.value() - *baseline.dependent.value();
  result.delta_cost_usd = *condition.cost_usd.value() - *baseline.cost_usd.value();
  result.verdict = verdict_of(result.delta_success, result.delta_cost_usd);
  if (result.delta_cost_usd > 0) {
    result.camu = result.delta_success / result.delta_cost_usd;
  } else if (as_published) {
    result.camu = kInfinite;
  }
  if (result.delta_success > 0) {
    result.break_even_usd = result.delta_cost_usd / result.delta_success;
  } else if (as_published) {
    result.break_even_usd = kInfinite;
  }
  return result;
}

}  // namespace memuse::merit
