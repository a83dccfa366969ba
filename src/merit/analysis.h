#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "merit/families.h"
#include "merit/measures.h"

// All measures of a set of scored episodes: by cell (model, domain, tier), and pooled over cells of a model.

namespace memuse::merit {

struct AnalysisOptions {
  std::string baseline = "C0";  ///< the condition without memory
  std::string replay = "C1";    ///< the condition that replays all earlier transcripts
  Resampling resampling;
  bool as_published = false;  ///< infinities where MERIT prints them
  std::vector<FamilyDeclaration> families;
};

/// H4: does ranking by success differ from ranking by CAMU? Best first, ties in the order of the conditions' names,
/// the baseline left out. In the ranking by CAMU, those that dominate stand first and those that are worse without
/// being dearer last (as published: both first, as infinite).
struct Rankings {
  std::vector<std::string> by_success, by_camu;
  /// Ranks of the conditions in `by_success` and `by_camu`, from 1; equal ones share the better rank (1, 1, 3).
  std::vector<std::uint64_t> success_ranks, camu_ranks;
  /// Of some two conditions one is better by success and worse by CAMU, ties aside.
  bool reversed = false;
  /// As MERIT says it: ties that break differently count.
  [[nodiscard]] bool differ() const { return by_success != by_camu; }
};

/// Why a group has no rankings and no costs against the baseline.
enum class NoEconomy : std::uint8_t { no_baseline, free, unpriced };
[[nodiscard]] std::string_view sentence(NoEconomy reason);

/// A cell, or several cells of one model pooled. In a pool an arc is a cell's arc, so no two cells share one.
struct Group {
  std::string model;   ///< empty when not recorded
  std::string domain;  ///< empty when not recorded, or when pooled over domains
  std::string tier;
  bool all_domains = false;  ///< pooled over domains
  bool all_tiers = false;    ///< … and over tiers
  std::vector<std::string> directories;
  std::uint64_t rows = 0, clean_rows = 0, damaged_rows = 0;
  std::uint64_t arcs_clean = 0, arcs_damaged = 0;
  std::vector<std::string> seeds;
  std::vector<ConditionMeasures> conditions;  ///< by name
  std::optional<Rankings> rankings;
  std::optional<NoEconomy> no_economy;

  /// `d1-easy`; without domain or tier the directory, or what is known.
  [[nodiscard]] std::string name() const;
  /// Null when the group has no clean rows of it.
  [[nodiscard]] const ConditionMeasures* find(std::string_view condition) const;
};

/// A comparison in a declared family, and where it was made.
struct PlacedComparison {
  std::string model, place;  ///< place: name of the group
  Comparison comparison;
};
struct FamilyResult {
  FamilyDeclaration declaration;
  std::vector<PlacedComparison> comparisons;
};

/// Hard tier, all domains of a model pooled: C3 - C2 and C4 - C2, not adjusted.
struct HardTierContrast {
  std::string model;
  Comparison comparison;
};

/// The whole result.
struct Analysis {
  AnalysisOptions options;
  std::uint64_t episodes = 0;
  std::uint64_t pre_satisfied = 0;  ///< scored as failures
  std::uint64_t corrected = 0;      ///< of these, those with a success on record
  std::uint64_t unchecked = 0;      ///< not recorded whether the goal held before; `success` taken as it is
  std::uint64_t not_scored[kNotScoredReasons] = {};
  std::uint64_t met_again = 0;
  std::string met_again_example;
  std::uint64_t attempts = 0;
  std::vector<Group> cells;  ///< by model, domain, tier
  std::vector<Group> pools;  ///< by model: each tier over all domains, then all; only of several cells
  std::vector<HardTierContrast> hard_tier;
  std::vector<FamilyResult> families;
};

/// Computes everything. Comparisons run side by side in the caller's TBB arena; the result does not depend on the
/// number of threads. `episodes` must be settled.
[[nodiscard]] Analysis analyse(const ScoredEpisodes& episodes, const AnalysisOptions& options);

}  // namespace memuse::merit
