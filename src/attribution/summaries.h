#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attribution/facts.h"
#include "rules/profile.h"

// Sums over sets of episodes: what the tables `success`, `use`, `difficulty` and `forms` and the figures print.

namespace memuse::attribution {

/// What model calls cost, agent and memory system together, over retained episodes (docs/cost.md).
struct CostSum {
  double usd = 0.0;  ///< of the episodes whose cost is known in full
  std::uint64_t episodes = 0;
  /// Some call of theirs has neither a recorded nor an estimated cost, or nothing is known.
  std::uint64_t episodes_without_full_cost = 0;
  std::uint64_t episodes_estimated = 0;             ///< known in full, a part as tokens × price
  std::uint64_t calls = 0, calls_without_cost = 0;  ///< all calls; those neither recorded nor estimated

  /// US dollars per episode, over the episodes whose cost is known in full; nothing when there is none.
  [[nodiscard]] std::optional<double> per_episode() const;
  [[nodiscard]] bool is_partial() const { return episodes_without_full_cost > 0; }
};
[[nodiscard]] CostSum sum_costs(const Episodes& episodes);

/// Order statistics of delays in steps: median and quartiles by linear interpolation (stats/quantile.h).
struct DelaySummary {
  std::uint64_t n = 0;
  double lower_quartile = 0.0, median = 0.0, upper_quartile = 0.0;
  std::uint32_t max = 0;
};

/// Episodes with some kind of use, by outcome. Unknown outcomes stay out of shares.
struct OutcomeCounts {
  std::uint64_t resolved = 0, failed = 0, unknown = 0;

  void add(const std::optional<bool>& outcome);
  [[nodiscard]] std::uint64_t episodes() const { return resolved + failed + unknown; }
  [[nodiscard]] std::uint64_t known() const { return resolved + failed; }
};

/// How memory was used (table `use`).
struct UseSummary {
  std::uint64_t profiled_spans = 0, assessed = 0;
  std::uint64_t relevant = 0, unused = 0, novel_unused = 0;
  std::uint64_t acted_on = 0, improved = 0, no_effect = 0, harmed = 0, undetermined = 0;
  std::optional<DelaySummary> delay;  ///< nothing when no entry was acted on
  OutcomeCounts beneficial, harmful;  ///< episodes with at least one such entry; one with both is in both
};
[[nodiscard]] UseSummary summarise_use(const StudyFacts& study, const Episodes& episodes);

/// False when no effect can have been assessed in these episodes, so that counts of effects say nothing.
[[nodiscard]] bool effects_assessed(const Episodes& episodes, rules::AssessedSignals assessed);

/// A form over a set of episodes (table `forms`).
struct FormSummary {
  std::uint32_t form = 0;  ///< index into `StudyFacts::forms`
  std::uint64_t deliveries = 0, tokens = 0;
  std::uint64_t assessed = 0, relevant = 0, acted_on = 0, beneficial = 0, harmful = 0;
};
/// All forms delivered, most tokens first, then by route and name.
[[nodiscard]] std::vector<FormSummary> summarise_forms(const StudyFacts& study, const Episodes& episodes);

/// Tasks that equally many baseline runs solved, and what happened on them with memory (table `difficulty`).
struct DifficultyLevel {
  std::optional<std::uint32_t> solved_by;  ///< baseline runs that solved the tasks; nothing: not known for every run
  std::uint64_t tasks = 0;                 ///< of the baseline, attempted with memory or not
  OutcomeCounts outcomes;                  ///< of the episodes with memory on them
  std::uint64_t with_acted_on = 0, with_beneficial = 0;

  [[nodiscard]] std::uint64_t episodes() const { return outcomes.episodes(); }
};

/// Levels 0…R for R baseline runs, and one more when some task has no known outcome in one of them.
struct Difficulty {
  std::uint32_t baseline_runs = 0;
  std::vector<DifficultyLevel> levels;
  std::uint64_t episodes_without_baseline = 0;  ///< memory episodes of tasks that the baseline does not have
};
[[nodiscard]] Difficulty group_by_difficulty(const Episodes& baseline, const Episodes& memory);

}  // namespace memuse::attribution
