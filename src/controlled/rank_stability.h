#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controlled/control.h"
#include "controlled/declaration.h"
#include "controlled/outcomes.h"

// Does the order of the strategies hold under another family of reader models? A pair of families is compared on the
// strategies (by `ranked_as`) that both have, and on the instances that all of these have a score for.

namespace memuse::controlled {

struct RankedStrategy {
  std::string name;          ///< `ranked_as`
  double first = 0.0;        ///< accuracy under the first family: the mean over its reader models, if several
  double second = 0.0;       ///< … the second
  double first_rank = 0.0;   ///< 1 is best; equal ones share the mean of their ranks
  double second_rank = 0.0;  ///< likewise
};

struct FamilyPair {
  std::string first, second;  ///< in ascending order
  std::size_t n = 0;          ///< instances
  std::vector<RankedStrategy> strategies;
  std::optional<double> tau;  ///< Kendall's tau-b; nothing where `stats::kendall_tau` gives none
  std::vector<std::pair<std::string, std::string>> flips;  ///< the first is better under the first family only
};

struct RankStability {
  std::vector<std::string> families;  ///< with results, ascending
  /// Reader models without a declared family, and strategies whose reader model is not known.
  std::vector<std::string> models_without_family;
  std::vector<std::string> strategies_without_model;
  std::vector<FamilyPair> pairs;  ///< those with at least two strategies and one instance in common
  /// Strategies ranked as one that differ in more than the reader model; families without a common instance.
  std::vector<std::string> warnings;
};

[[nodiscard]] RankStability rank_stability(const Declaration& declaration,
                                           const std::vector<EffectiveComponents>& components,
                                           const std::vector<std::vector<InstanceScore>>& scores,
                                           std::size_t instances);

}  // namespace memuse::controlled
