#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/facts.h"
#include "attribution/pairing.h"
#include "rules/profile.h"
#include "stats/bootstrap.h"

// One configuration against others, measure by measure, on the tasks that both have (docs/compare.md).

namespace memuse::attribution {

/// How the values of a compared measure are printed.
enum class ComparedUnit : std::uint8_t { share, dollars, per_hundred_spans, per_million_tokens, tokens };

/// A measure in which two configurations are compared.
struct ComparedMeasure {
  std::string_view key;    ///< stable name (`harmful_yield`)
  std::string_view label;  ///< for people
  std::string_view definition;
  ComparedUnit unit = ComparedUnit::share;
  std::optional<rules::Measure> profile;  ///< the profile's measure that it is; nothing for costs and tokens
};

/// All of them, in the order of the table.
[[nodiscard]] const std::vector<ComparedMeasure>& compared_measures();
/// The measures whose p-values are adjusted together unless others are named.
[[nodiscard]] const std::vector<std::string>& default_family();

/// What p-values of a row rest on.
enum class PMethod : std::uint8_t { none, bootstrap, mcnemar };

/// One measure of one comparison. The difference is second minus first.
struct MeasureDifference {
  const ComparedMeasure* measure = nullptr;
  std::optional<double> first, second, difference;
  std::optional<stats::Interval> interval;
  std::optional<double> p, holm_p;
  PMethod p_method = PMethod::none;
  std::uint64_t events_first = 0, events_second = 0;  ///< that the two values rest on
  bool few_events = false;
  bool in_family = false;
};

/// Something that may make two configurations differ.
enum class Factor : std::uint8_t { memory, model, seed, tasks, runs, repositories };
[[nodiscard]] std::string_view name(Factor factor);
[[nodiscard]] std::optional<Factor> parse_factor(std::string_view name);

/// How two configurations stand to each other in one factor.
struct FactorState {
  enum class State : std::uint8_t { same, differs, unknown };
  Factor factor = Factor::memory;
  State state = State::same;
  std::vector<std::string> first, second;  ///< values on each side, sorted; for tasks those that only this side has
};
[[nodiscard]] std::string_view name(FactorState::State state);

/// One pair of configurations.
struct Comparison {
  std::string second;
  Pairing pairing;
  std::vector<MeasureDifference> measures;
  std::vector<FactorState> factors;
  std::uint64_t discordant_first = 0, discordant_second = 0;      ///< tasks that one side alone resolved, for McNemar
  std::uint64_t cost_unknown_first = 0, cost_unknown_second = 0;  ///< matched episodes without a full cost
  std::uint64_t cost_estimated_first = 0, cost_estimated_second = 0;  ///< matched ones with tokens × price in it
  std::uint64_t without_result_first = 0, without_result_second = 0;  ///< matched episodes: they count as not resolved
};

/// What is asked.
struct ComparisonRequest {
  std::string first;
  std::vector<std::string> seconds;
  std::vector<std::string> family;  ///< keys of measures; every one with every second is a test of the family
  stats::Resampling resampling;
};

/// Compares, and adjusts the p-values of the family by Holm's method over all comparisons. The names must be
/// configurations of the study, and `family` keys of `compared_measures`.
[[nodiscard]] std::vector<Comparison> compare_configurations(const StudyFacts& study, const ComparisonRequest& request);

/// Why a difference may not be due to the declared factor: one sentence each, without names of configurations.
[[nodiscard]] std::vector<std::string> confounds(const Comparison& comparison, Factor declared);

}  // namespace memuse::attribution
