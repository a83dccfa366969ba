#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attribution/facts.h"
#include "attribution/ratio.h"
#include "stats/bootstrap.h"

// Two configurations on the same tasks.

namespace memuse::attribution {

/// A task with the episodes that both sides have of it: all runs of a side together.
struct PairedTask {
  NameId task = 0;
  std::uint32_t cluster = 0;  ///< its arc, else the task itself (`EpisodeFacts::cluster` of the first side)
  Episodes first, second;     ///< neither is empty
};

/// The tasks that two sides have in common, and the others. Episodes that name no task match nothing.
struct Pairing {
  std::vector<PairedTask> tasks;                        ///< by name
  std::vector<NameId> only_first, only_second;          ///< by name
  std::uint64_t unnamed_first = 0, unnamed_second = 0;  ///< episodes without a task

  [[nodiscard]] Episodes first_episodes() const;
  [[nodiscard]] Episodes second_episodes() const;
  /// Clusters that are resampled.
  [[nodiscard]] std::size_t clusters() const;
};

/// Matches by task.
[[nodiscard]] Pairing pair_by_task(const Episodes& first, const Episodes& second);

/// Sums per cluster of matched tasks: for each ratio four columns, numerator and denominator of the first side, then of
/// the second.
[[nodiscard]] stats::ClusterSums paired_sums(const Pairing& pairing, std::span<const Ratio> ratios);

/// Ratio of the first side minus ratio of the second over the matched tasks.
struct Difference {
  std::optional<double> first, second, value;  ///< nothing where a denominator is 0
  std::optional<stats::Interval> interval;     ///< of `value`
  std::optional<double> p;                     ///< two-sided, against 0
  std::uint64_t events_first = 0, events_second = 0;
  bool few_events = false;  ///< both sides together rest on fewer than `kFewEvents` events: no interval, no p
};

/// Differences of several ratios, by paired bootstrap: the same drawn clusters serve both sides and all ratios. With 0
/// resamples only values.
[[nodiscard]] std::vector<Difference> paired_differences(const Pairing& pairing, std::span<const Ratio> ratios,
                                                         const stats::Resampling& resampling);

}  // namespace memuse::attribution
