#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controlled/declaration.h"
#include "controlled/outcomes.h"

namespace memuse::controlled {

/// What executions state of one amount.
struct Cost {
  double sum = 0.0;          ///< over the executions that state it
  std::uint64_t stated = 0;  ///< how many do
  std::uint64_t executions = 0;
  bool declared = false;  ///< the sum is the declaration's total

  /// The sum of all executions; nothing when some do not state it: a part is no total.
  [[nodiscard]] std::optional<double> total() const;
  [[nodiscard]] std::optional<double> per_execution() const;
};

/// Refusals among the scored executions that state whether they are one.
struct Refusals {
  std::uint64_t scored = 0;  ///< scored executions
  std::uint64_t stated = 0;  ///< … that state it
  std::uint64_t refused = 0;
  double errors = 0.0;          ///< lost score, the sum of 1 − score, over the stated
  double refused_errors = 0.0;  ///< … over the refused

  /// Of the stated executions; nothing when none states it.
  [[nodiscard]] std::optional<double> share() const;
  /// Of the lost score; nothing when none states it or nothing was lost.
  [[nodiscard]] std::optional<double> share_of_errors() const;
};

struct Accuracy {
  std::size_t n = 0;  ///< instances
  double mean = 0.0;
  std::optional<stats::Interval> interval;
};

/// One strategy on all of its own instances. Two strategies may have different ones: compare in comparisons only.
struct StrategySummary {
  std::uint64_t rows = 0;        ///< as read
  std::uint64_t executions = 0;  ///< without repeated and contradicting rows
  std::uint64_t instances = 0;
  std::uint64_t failed = 0;
  std::uint64_t unscored = 0;
  std::uint64_t contradicted = 0;                                      ///< instances set aside
  std::vector<std::pair<std::string, std::uint64_t>> failure_reasons;  ///< most frequent first
  std::array<std::optional<Accuracy>, 2> accuracy;                     ///< by `Failures`
  Refusals refusals;
  std::array<Cost, kAmountCount> costs;  ///< by `Amount`
};

[[nodiscard]] std::vector<StrategySummary> summarise(const std::vector<Strategy>& strategies, const Results& results,
                                                     const std::vector<std::vector<InstanceScore>>& scores,
                                                     const stats::Resampling& resampling);

}  // namespace memuse::controlled
