#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merit/scored_episode.h"
#include "stats/interval.h"

// Differences of success rates between two sides, paired by arc.

namespace memuse::merit {

/// How intervals and p-values are made.
enum class Resampler : std::uint8_t {
  clusters,  ///< `stats::ratio_difference`: symmetric percentile interval, any number of resamples, any seed
  merit      ///< `stats::merit_difference`: the numbers of MERIT's own analysis, to the last bit
};
[[nodiscard]] std::string_view name(Resampler resampler);

struct Resampling {
  Resampler resampler = Resampler::clusters;
  std::uint64_t resamples = 10'000;
  std::uint64_t seed = 0;
};

/// Successes among episodes.
struct Share {
  std::uint64_t successes = 0;
  std::uint64_t n = 0;
  void add(bool success) {
    ++n;
    if (success) ++successes;
  }
  /// Nothing without episodes.
  [[nodiscard]] std::optional<double> value() const {
    if (n == 0) return std::nullopt;
    return static_cast<double>(successes) / static_cast<double>(n);
  }
};

/// A row of a group, with the name of its arc there: where cells are pooled, the same arc id in two cells is two arcs.
struct GroupRow {
  const ScoredEpisode* episode = nullptr;
  std::string_view arc;
};

/// Which rows make one side.
struct Side {
  std::string condition;
  std::string mode;  ///< empty: clean rows
  std::optional<double> rate;
  friend bool operator==(const Side&, const Side&) = default;
};
/// `C4`, `C4 stale@0.3`.
[[nodiscard]] std::string name(const Side& side);

/// First side minus second, over the arcs that both have.
struct Difference {
  double value = 0.0;
  std::optional<stats::Interval> interval;  ///< 95 %
  std::optional<double> p;                  ///< two-sided
  std::size_t arcs = 0;
  Share first, second;  ///< over those arcs
};

/// A comparison of two sides.
struct Comparison {
  Side first, second;
  bool dependent = true;                 ///< over the dependent episodes, else over the independent ones
  std::optional<Difference> difference;  ///< nothing without a shared arc
  std::optional<double> p_holm;          ///< adjusted within its family
};
/// `C4 - C0`.
[[nodiscard]] std::string name(const Comparison& comparison);

/// The rows of one side.
[[nodiscard]] std::vector<GroupRow> rows_of(std::span<const GroupRow> rows, const Side& side, bool dependent);

/// Fills `comparison.difference` from the rows of a group.
void run(Comparison& comparison, std::span<const GroupRow> rows, const Resampling& resampling);

/// Adjusts the p-values of one family (Holm).
void adjust(std::span<Comparison* const> family);

}  // namespace memuse::merit
