#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "controlled/results.h"
#include "stats/bootstrap.h"

// From executions to paired scores. Instances are the unit of everything: several runs of an instance count once, as
// their mean, so that an instance that was run more often does not weigh more and runs are not taken for independent.

namespace memuse::controlled {

/// What becomes of executions that broke down.
enum class Failures : std::uint8_t {
  excluded,  ///< as if they had not been run; an instance whose every run failed drops out
  as_wrong   ///< score 0
};
inline constexpr std::array<Failures, 2> kFailureTreatments{Failures::excluded, Failures::as_wrong};
/// `excluded`, `as_wrong`.
[[nodiscard]] std::string_view name(Failures failures);

/// One instance under one strategy, over its runs.
struct InstanceScore {
  std::uint32_t instance = 0;
  std::uint32_t executions = 0;
  std::uint32_t failed = 0;
  std::uint32_t unscored = 0;  ///< neither failed nor scored
  double sum = 0.0;            ///< of the scores
  bool contradicted = false;   ///< rows contradict each other: not used

  /// Mean score over the runs that count; nothing when none does.
  [[nodiscard]] std::optional<double> score(Failures failures) const;
};

/// Scores of each strategy, by instance.
[[nodiscard]] std::vector<std::vector<InstanceScore>> instance_scores(const Results& results, std::size_t strategies);

/// Why an instance is not in a comparison.
enum class DropReason : std::uint8_t {
  missing,       ///< the strategy has no result for it
  contradicted,  ///< its rows contradict each other
  failed,        ///< every scored run failed, and failures are excluded
  unscored       ///< nobody said whether the answer is right
};
/// `missing`, `contradicted`, …
[[nodiscard]] std::string_view name(DropReason reason);

struct DroppedInstance {
  std::uint32_t instance = 0;
  std::optional<DropReason> first, second;  ///< by side; nothing: the side is all right
};

/// An instance with a score on both sides.
struct ScorePair {
  std::uint32_t instance = 0;
  double first = 0.0;
  double second = 0.0;
};

struct Matched {
  std::vector<ScorePair> pairs;          ///< by instance
  std::vector<DroppedInstance> dropped;  ///< by instance: of those that at least one side has
};

[[nodiscard]] Matched match(const std::vector<InstanceScore>& first, const std::vector<InstanceScore>& second,
                            Failures failures);

/// What pairs of scores say.
struct PairedEstimate {
  std::size_t n = 0;                                   ///< instances compared (the effective n)
  double first = 0.0, second = 0.0, difference = 0.0;  ///< mean scores, 0…1, and first minus second
  std::optional<stats::Interval> first_interval, second_interval, difference_interval;
  std::uint64_t only_first = 0;   ///< instances on which the first scores higher: it alone is right
  std::uint64_t only_second = 0;  ///< … the second
  bool binary = true;             ///< every score is 0 or 1; else the test is the exact sign test, its generalisation
  double p = 1.0;                 ///< `stats::mcnemar_exact` of the two counts
  std::optional<double> p_holm;   ///< within the declared comparisons; nothing where no family was asked for
};

/// Nothing without pairs. Intervals are by instances drawn with replacement, the same for both sides; none for 0
/// resamples and where `stats::bootstrap` gives none. `with_sides` false leaves out the intervals of the sides.
[[nodiscard]] std::optional<PairedEstimate> estimate(const std::vector<ScorePair>& pairs,
                                                     const stats::Resampling& resampling, bool with_sides = true);

}  // namespace memuse::controlled
