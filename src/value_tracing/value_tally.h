#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "model/episode.h"
#include "value_tracing/value_trace.h"

namespace memuse::value_tracing {

/// What an episode is counted under.
struct Setting {
  std::string model;
  std::string domain;
  std::string tier;
  std::string condition;   ///< as recorded; the configuration where no condition is
  std::string corruption;  ///< `stale@0.3`; empty for memory that nobody damaged
  friend bool operator==(const Setting&, const Setting&) = default;
  /// By model, domain, tier (easy, medium, hard, then others by name), condition, corruption.
  friend std::strong_ordering operator<=>(const Setting& a, const Setting& b);
};
Setting setting_of(const Episode& episode);

/// Episodes with what became of them.
struct EpisodeCount {
  std::uint64_t episodes = 0;
  std::uint64_t resolved = 0;
  std::uint64_t unknown = 0;  ///< of the episodes: without an outcome

  void add(const Episode& episode);
  EpisodeCount& operator+=(const EpisodeCount& other);
  [[nodiscard]] std::uint64_t with_outcome() const { return episodes - unknown; }
};

/// Counts over the dependent episodes of a setting. Episodes without a recorded step are in `episodes`, `untraced` and
/// `without_trace` alone.
struct ValueCounts {
  EpisodeCount episodes;
  EpisodeCount without_trace;       ///< no step is recorded
  std::uint64_t values = 0;         ///< gold values of episodes with a trace
  std::uint64_t common_values = 0;  ///< of these: not telling
  EpisodeCount held_all, held_some, held_none, held_unknown;
  EpisodeCount stale_beside;  ///< memory held a gold value and a stale one
  EpisodeCount stale_alone;   ///< memory held a stale value and no gold one
  std::array<std::uint64_t, kCarriedKinds> carried{};
  std::array<EpisodeCount, kEpisodeUses> use{};
  std::uint64_t carried_unheld = 0;     ///< values that actions carry though no consumed delivery held them
  std::uint64_t before_memory = 0;      ///< values that an action carried before memory showed them
  EpisodeCount leaked;                  ///< a gold value stood outside memory before use
  std::uint64_t leaked_values = 0;      ///< gold values of that kind …
  std::uint64_t leaked_in_inputs = 0;   ///< … that stood in the task, a user's turn or a system text
  std::uint64_t leaked_in_results = 0;  ///< … that stood in a tool's result
  EpisodeCount pre_satisfied;
  EpisodeCount says_nothing;  ///< leaked or satisfied at the start
  EpisodeCount says_something;
  std::uint64_t flags_recorded = 0;    ///< episodes with a recorded flag
  std::uint64_t flags_recomputed = 0;  ///< of these: computed again
  std::uint64_t flags_equal = 0;       ///< of these: equal
  std::uint64_t recorded_true = 0, recomputed_true = 0;
  std::uint64_t traced_true = 0;
  std::uint64_t traced_differs = 0;                    ///< the traced flag differs from the recomputed one
  std::array<std::uint64_t, kFlagRules> used_rules{};  ///< values, by the reason of a difference in use
  std::array<std::uint64_t, kFlagRules> held_rules{};  ///< values, by the reason of a difference in what memory held

  void add(const Episode& episode, const EpisodeTrace& trace);
  ValueCounts& operator+=(const ValueCounts& other);
};

/// Counts by setting.
using ValueTally = std::map<Setting, ValueCounts>;

}  // namespace memuse::value_tracing
