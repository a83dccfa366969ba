#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

// What the task-level measures need of an episode: a row of some hundred bytes, whatever its transcript holds.

namespace memuse::merit {

/// Names that many rows share, each kept once. Views stay valid as long as the table, also when it is moved.
class NameTable {
 public:
  std::string_view keep(std::string_view name);

 private:
  std::set<std::string, std::less<>> names_;
};

/// Damage done on purpose to the memory before an episode. No mode: none.
struct Setting {
  std::string_view mode;
  std::optional<double> rate;
  [[nodiscard]] bool clean() const { return mode.empty(); }
};

/// One scored episode. Views point into the `NameTable` that it was made with.
struct ScoredEpisode {
  std::string_view id, task, configuration, run;
  std::string_view model, domain, tier, condition, seed;
  std::string_view directory;  ///< of a run `<directory>/<seed>`, as MERIT's are called; empty for others
  std::string_view arc;        ///< what is resampled whole: the episode's group, else its task
  Setting setting;
  std::string_view path;   ///< where it was read …
  std::uint64_t line = 0;  ///< … and the line, 1-based
  bool dependent = false;
  std::optional<bool> outcome;  ///< as recorded; in settled rows never nothing
  /// Delta scoring: the outcome is a success and the goal was not known to hold before the episode. Set by `settle`.
  bool success = false;
  std::optional<bool> pre_satisfied;  ///< nothing in rows from before that rule existed
  std::optional<bool> memory_had_fact, memory_utilized, memory_utilized_recomputed;
  std::optional<std::uint64_t> tokens;         ///< prompt and completion of the agent, summed over its calls
  std::optional<std::uint64_t> memory_tokens;  ///< of the memory system itself; 0 when it made no calls
  std::optional<double> agent_cost_usd;
  std::optional<double> memory_cost_usd;  ///< 0 when the memory system made no calls
  std::optional<double> seconds;

  /// Agent and memory system together.
  [[nodiscard]] std::optional<double> cost_usd() const {
    if (!agent_cost_usd || !memory_cost_usd) return std::nullopt;
    return *agent_cost_usd + *memory_cost_usd;
  }
};

/// Why an episode is not scored.
enum class NotScored : std::uint8_t { no_outcome, no_dependence };
inline constexpr std::size_t kNotScoredReasons = 2;

/// The row of an episode; nothing when its task's dependence on memory is unknown. A condition that is not recorded is
/// the configuration, a seed the run.
[[nodiscard]] std::optional<ScoredEpisode> scored(const Episode& episode, NameTable& names);

/// Rows with what they point into.
struct ScoredEpisodes {
  NameTable names;
  std::vector<ScoredEpisode> rows;
  std::uint64_t not_scored[kNotScoredReasons] = {};
  std::uint64_t met_again = 0;    ///< rows of an episode that another file has already; not counted
  std::string met_again_example;  ///< `first place and second place`
  std::uint64_t attempts = 0;     ///< rows that repeat an earlier task of their condition; counted

  /// Takes an episode; not thread-safe.
  void add(const Episode& episode);
  /// To be called once, after the last `add` and any change of outcomes: sets aside rows without an outcome, scores the
  /// others, puts them in the order of their places, whatever order they came in, keeps one of those that are the same
  /// episode (task, condition, setting and id) in several files, and counts repeated attempts.
  void settle();
};

}  // namespace memuse::merit
