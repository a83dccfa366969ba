#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "controlled/control.h"
#include "controlled/declaration.h"
#include "controlled/outcomes.h"
#include "controlled/rank_stability.h"
#include "controlled/results.h"
#include "controlled/strategy_summary.h"

namespace memuse::controlled {

/// One question type of a comparison.
struct TypeResult {
  std::string type;         ///< empty: the instances without one
  bool abstention = false;  ///< all abstention questions, whatever their type: counted there, too
  std::array<std::optional<PairedEstimate>, 2> estimates;  ///< by `Failures`; without intervals of the sides
};

struct ComparisonResult {
  Control control;
  std::array<std::optional<PairedEstimate>, 2> estimates;  ///< by `Failures`; nothing without matched instances
  /// Some matched or dropped instance has a failed execution, so the two treatments may differ.
  bool has_failures = false;
  std::vector<DroppedInstance> dropped;  ///< with failures excluded
  std::vector<TypeResult> types;         ///< by type; abstention last. Empty when no row states a type
  bool same_rows = false;                ///< both sides were taken from the same rows
  /// Mean cost of an execution on the matched instances, first minus second, by `Amount`; nothing unless both sides
  /// state it throughout. A declared total counts only where every instance is matched.
  std::array<std::optional<double>, kAmountCount> cost_differences;
};

/// A line of the checklist that ends a report.
struct CheckItem {
  enum class State : std::uint8_t { met, not_met, cannot_tell };
  std::string key;
  std::string title;
  State state = State::cannot_tell;
  std::string why;
};

/// `met`, `not met`, `cannot be told`.
[[nodiscard]] std::string_view name(CheckItem::State state);

/// Everything that results and a declaration of them say.
struct Study {
  std::vector<EffectiveComponents> components;  ///< by strategy
  std::vector<StrategySummary> summaries;       ///< by strategy
  std::vector<ComparisonResult> comparisons;    ///< by comparison
  RankStability ranks;
  std::vector<CheckItem> checklist;  ///< six lines
  /// True when every declared comparison is controlled and there is at least one.
  [[nodiscard]] bool all_controlled() const;
};

/// Evaluates a study. `results` are finished. p-values are adjusted (Holm) over all declared comparisons, controlled or
/// not, for each treatment of failures apart; those of question types are not adjusted.
[[nodiscard]] Study analyse(const Declaration& declaration, const Results& results,
                            const stats::Resampling& resampling);

}  // namespace memuse::controlled
