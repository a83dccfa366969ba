#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "merit/comparison.h"
#include "stats/spread.h"

// The measures of one condition in one group of episodes, by the formulas of MERIT's analysis (docs/merit-measures.md).

namespace memuse::merit {

/// Mean of a quantity over the episodes that state it.
struct Mean {
  double sum = 0.0;
  std::uint64_t n = 0;
  void add(double value) {
    sum += value;
    ++n;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (n == 0) return std::nullopt;
    return sum / static_cast<double>(n);
  }
};

/// Success by seed.
struct SeedMeasures {
  std::string seed;  ///< empty when not recorded
  Share dependent, independent;
};

/// A damaged memory against the clean one, same condition.
struct Harm {
  Comparison comparison;  ///< clean minus damaged: positive is harm
  Share damaged;          ///< all dependent episodes with the damage, also of arcs without clean ones
};

/// What the gain over the baseline costs.
enum class CostVerdict : std::uint8_t {
  ratio,          ///< dearer: gain per dollar is a number
  dominates,      ///< not dearer, and better; or as good and cheaper
  dominated,      ///< as dear, and worse
  cheaper_worse,  ///< cheaper, and worse: a question of what a success is worth
  equal           ///< as dear, and as good
};
[[nodiscard]] std::string_view name(CostVerdict verdict);

/// A condition against the baseline, over all clean rows of both.
struct Economy {
  double delta_success = 0.0;  ///< dependent TSR, as a fraction
  double delta_cost_usd = 0.0;
  CostVerdict verdict = CostVerdict::ratio;
  /// Cost-adjusted memory utility, Δsuccess / Δcost, per US dollar. Only with `ratio`; as published: infinite else.
  std::optional<double> camu;
  /// Task value from which on the condition pays, Δcost / Δsuccess, US dollars. As published infinite without a gain;
  /// else nothing then. Negative where the condition is cheaper.
  std::optional<double> break_even_usd;
};

/// A condition against full replay of the transcripts.
struct AgainstReplay {
  Comparison dependent;
  std::optional<double> ratio;  ///< of the success rates over all clean dependent rows; nothing when replay has none
};

/// One condition. Clean rows, unless said otherwise.
struct ConditionMeasures {
  std::string condition;
  std::uint64_t n = 0;
  Share dependent, independent;     ///< task success rates
  std::uint64_t pre_satisfied = 0;  ///< the goal held before the episode: failures
  std::uint64_t unchecked = 0;      ///< not recorded whether it held
  /// MUR: of the dependent episodes whose memory held every gold value, those that used every one. By the recorded
  /// flag, where that is missing by the one computed from gold values and actions.
  Share use;
  Share use_recomputed;           ///< by the computed flag alone, where it exists
  std::uint64_t use_unknown = 0;  ///< memory held the fact, use is neither recorded nor computed
  Mean tokens, memory_tokens, cost_usd, agent_cost_usd, memory_cost_usd, seconds;  ///< per episode
  std::vector<SeedMeasures> seeds;                                                 ///< ascending
  std::optional<stats::Spread> seed_spread;  ///< of the dependent success rates of the seeds
  std::optional<Comparison> h1, h2;          ///< against the baseline: dependent, independent
  std::vector<Harm> harms;                   ///< by mode and rate
  std::optional<Economy> economy;
  std::optional<AgainstReplay> replay;

  /// Of the episodes in `use`, those that ignored what memory held.
  [[nodiscard]] std::optional<double> ignore_rate() const {
    const std::optional<double> used = use.value();
    return used ? std::optional(1.0 - *used) : std::nullopt;
  }
  /// Largest difference between the success rates of two seeds.
  [[nodiscard]] std::optional<double> seed_gap() const {
    return seed_spread && seed_spread->n > 1 ? std::optional(seed_spread->max - seed_spread->min) : std::nullopt;
  }
};

/// Measures of the clean rows of one condition, without what needs another one. `rows` in the order of their files.
[[nodiscard]] ConditionMeasures measure(const std::string& condition, std::span<const GroupRow> rows);

/// Against the baseline; nothing when either has no dependent rows or not every clean row of both states its cost.
/// `as_published`: infinities as MERIT prints them.
[[nodiscard]] std::optional<Economy> economy(const ConditionMeasures& condition, const ConditionMeasures& baseline,
                                             bool as_published);

/// True when `a` stands before `b` in the order of seeds: numbers ascending, then other texts.
[[nodiscard]] bool seed_less(std::string_view a, std::string_view b);
/// The same as an order of a set or a map.
struct SeedLess {
  bool operator()(std::string_view a, std::string_view b) const { return seed_less(a, b); }
};

}  // namespace memuse::merit
