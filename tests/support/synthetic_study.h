#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/measures.h"
#include "support/synthetic_plan.h"

// Made-up studies with planted effects: every property of an episode or entry is drawn with a known chance, so that
// tables and intervals can be held against the truth. Deterministic in the seed.

namespace memuse::test {

/// Chances of what a judge says of an entry.
struct LabelChances {
  double relevant = 0.5;
  double corroborated = 0.3, contradicted = 0.1;             ///< else uncontradicted
  double novel = 0.4, confirming = 0.2, novelty_null = 0.1;  ///< else redundant; acted-on ones confirming instead
  double acted_on = 0.3, selected = 0.05, referenced = 0.1;  ///< of the relevant ones; else none
  double influence_null = 0.05;                              ///< of all
  double improved = 0.4, harmed = 0.1, effect_null = 0.15;   ///< of the acted-on ones; else no effect
  std::uint32_t longest_delay = 4;                           ///< each delay from 0 on is as likely

  /// The chance that an entry has the property behind a mean entry share.
  [[nodiscard]] double chance(rules::Measure measure) const;
};

/// Chances of where the item of an entry was made. Gaps from 1 to `longest_gap` positions are equally likely.
struct OriginChances {
  double traced = 0.7;        ///< in an earlier episode of the run
  double same_episode = 0.1;  ///< in the very episode; else nothing says where
  double failed = 0.4;        ///< the source episode failed
  double other_repository = 0.3;
  std::uint32_t longest_gap = 24;
};

struct FormChance {
  std::string form;
  Route route = Route::host;
  double share = 1.0;            ///< of the judged spans
  std::size_t entry_bytes = 80;  ///< length of an entry's text
};

struct SyntheticConfiguration {
  std::string name;
  double resolved = 0.5;           ///< mean over the tasks
  bool memory = true;              ///< false: nothing is delivered, and the trace says that there is no memory
  double spans = 1.5;              ///< judged spans per episode, mean
  double restatements = 1.5;       ///< per span with entries, mean
  double automatic = 0.1;          ///< chance of an automatic span in an episode whose first span has two entries
  double empty = 0.1;              ///< chance of an empty span in an episode
  std::uint32_t most_entries = 3;  ///< entries of judged spans go from 1 to this, in turn
  LabelChances labels;
  OriginChances origins;
  std::vector<FormChance> forms{{"recall", Route::host, 1.0, 80}};
  double step_usd = 0.01;
  double side_usd = 0.002;
};

struct SyntheticStudy {
  std::uint64_t seed = 1;
  std::uint32_t runs = 4;
  std::uint32_t tasks = 500;
  std::uint32_t repositories = 2;  ///< few, so that a source of either kind lies within the longest gap
  /// A task's ease is one of (i + ½)/tasks; its resolve chance is the configuration's mean plus this × (ease − ½).
  double difficulty_spread = 0.6;
  /// The chance that an entry is acted on is multiplied by 1 + this × (2 × ease' − 1) of its task; at most 1.
  double task_effect = 0.0;
  double unknown_outcome = 0.0;
  std::vector<SyntheticConfiguration> configurations;

  /// All episodes, run by run, in the order of positions.
  void for_each(const std::function<void(const PlannedEpisode&)>& visit) const;
  [[nodiscard]] PlanSource source() const;
};

/// Four configurations, the first (`none`) without memory: 4 runs of 500 tasks.
SyntheticStudy planted_study(std::uint64_t seed);
/// As many episodes (32,000), deliveries (over 110,000) and spans (over 21,000) as a large published study has.
SyntheticStudy large_study(std::uint64_t seed);

}  // namespace memuse::test
