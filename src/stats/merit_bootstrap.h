#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "stats/interval.h"

namespace memuse::stats {

/// Name of this resampler in captions and options.
inline constexpr std::string_view kMeritResampler = "merit";
inline constexpr std::uint64_t kMeritResamples = 10'000;
inline constexpr std::uint64_t kMeritSeed = 0;

/// One scored episode of one side.
struct MeritEpisode {
  std::string_view arc;
  bool success = false;
};

/// A difference of success rates as MERIT's analysis reports it.
struct MeritDifference {
  double value = 0.0;
  Interval interval;     ///< 95 %
  double p = 1.0;        ///< two-sided, from 2/10001 to 1
  std::size_t arcs = 0;  ///< arcs with episodes on both sides; the others are left out
  double first = 0.0;    ///< success rate of the first side over those arcs
  double second = 0.0;   ///< of the second
};

/// Success rate of the first side minus that of the second with the interval and p of MERIT's own analysis, to the last
/// bit (benchmark MERIT, repository smshweta/merit-bench, run directory's `results.jsonl`). Nothing without shared
/// arcs.
///
/// The recipe: shared arcs sorted as strings; `random.Random(0)` of Python anew for every comparison; 10,000 times as
/// many arcs drawn as there are, the same for both sides; each side's rate over all rows of the drawn arcs; the
/// interval is items 250 and 9750 of the sorted differences, counted from 0; p as `two_sided_p` against 0.
///
/// Successes and rows are summed as integers. A rate is one division of two integers and a difference one subtraction,
/// so equal rates differ by exactly 0 and every value is the double that Python prints.
///
/// For numbers that must equal MERIT's; for others `ratio_difference` does the same job with a symmetric interval,
/// gives no interval for a single arc, and uses all cores. This one is sequential: its draws are one stream.
[[nodiscard]] std::optional<MeritDifference> merit_difference(std::span<const MeritEpisode> first,
                                                              std::span<const MeritEpisode> second);

}  // namespace memuse::stats
