#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/episode.h"
#include "model/records.h"
#include "rules/measures.h"
#include "rules/share_sum.h"
#include "stats/spread.h"

// Profiles of configurations and runs (semantics.md §8), computed in one pass over the episodes of a study.
//
// Everything is summed in integers, and divisions happen once at the end in a fixed order: the result is the same, bit
// for bit, for any order of episodes and any way of splitting them over threads. Memory grows with the number of runs,
// of distinct items and of distinct span sizes, not with the number of episodes.

namespace memuse::rules {

/// An item recurs when it was delivered in at least this many episodes of a run.
inline constexpr std::uint64_t kRecurringEpisodes = 50;

/// Which signals the judge assesses; axes that rest on another one are "not assessed".
struct AssessedSignals {
  bool relevance = true;
  bool accuracy = true;
  bool effects_need_probe = false;  ///< effects are assessed only in episodes with a probe
};
[[nodiscard]] inline AssessedSignals assessed_signals(const JudgementSetRecord& set) {
  return {set.assesses_relevance, set.assesses_accuracy, set.effects_need_probe};
}

/// How delivered tokens were counted; one for everything in a table.
enum class TokenEstimator : std::uint8_t { recorded, utf8_bytes_4 };
/// Name for captions and exports: `recorded` or `utf8-bytes/4`.
[[nodiscard]] std::string_view name(TokenEstimator estimator);

/// Verdict of a span as its answers give it: by `span_verdict` when judged, `neutral` when automatic or empty, else
/// none.
[[nodiscard]] std::optional<Verdict> verdict_of(const SpanRecord& span);

/// True when an assessed entry has the property whose mean entry share `measure` is (one of the first
/// `kEntryShareCount`).
[[nodiscard]] bool counts_for(Measure measure, const Labels& labels);

/// What model calls cost, as far as it was recorded.
struct Cost {
  double usd = 0.0;
  std::uint64_t calls = 0;
  std::uint64_t calls_without_cost = 0;

  Cost& operator+=(const Cost& other);
  Cost& operator+=(const CallTotals& totals);
  /// US dollars; nothing when no cost at all was recorded. A sum with `calls_without_cost` is too low.
  [[nodiscard]] std::optional<double> known() const {
    return usd > 0.0 || calls > calls_without_cost ? std::optional(usd) : std::nullopt;
  }
};

/// Plain counts over the retained episodes of a run or a configuration.
struct Counts {
  std::uint64_t episodes = 0;            ///< retained ones
  std::uint64_t attempts_set_aside = 0;  ///< earlier attempts; nothing else here includes them
  Cost attempts_set_aside_cost;          ///< of these, agent and side calls
  Cost agent_cost;
  Cost side_cost;  ///< of side models: the memory system's own calls
  std::uint64_t resolved = 0;
  std::uint64_t without_result = 0;                ///< outcome unknown; they count as not resolved
  std::array<std::uint64_t, 4> visible_input{};    ///< episodes by VisibilityGrade
  std::array<std::uint64_t, 4> delivery_grades{};  ///< episodes by DeliveryGrade
  std::uint64_t episodes_with_delivery = 0;        ///< at least one consumed delivery
  std::uint64_t episodes_with_profiled_span = 0;
  std::uint64_t deliveries = 0;  ///< consumed ones, restatements included
  std::uint64_t restatements = 0;
  std::uint64_t unconsumed = 0;  ///< placed but never in an input; in no other count
  std::uint64_t recorded_tokens = 0;
  std::uint64_t deliveries_without_recorded_tokens = 0;  ///< among those that placed text
  std::uint64_t estimated_tokens = 0;
  std::uint64_t profiled_spans = 0;             ///< status `judged`
  std::uint64_t profiled_spans_with_probe = 0;  ///< in episodes with a probe
  std::uint64_t automatic_spans = 0;
  std::uint64_t empty_spans = 0;
  std::uint64_t unresolved_spans = 0;
  std::uint64_t not_judged_spans = 0;
  std::array<std::uint64_t, 5> verdicts{};  ///< by Verdict, over judged and automatic spans
  std::uint64_t entries = 0;                ///< of profiled spans, empty windows included
  std::uint64_t assessed_entries = 0;       ///< of profiled spans, with an answer
  std::uint64_t beneficial_entries = 0;
  std::uint64_t harmful_entries = 0;
  std::uint64_t recurring_items = 0;  ///< (run, item) pairs delivered in >= kRecurringEpisodes episodes

  /// Episodes whose visible input is known as well as `grade` says.
  [[nodiscard]] std::uint64_t episodes_of(VisibilityGrade grade) const {
    return visible_input[static_cast<std::size_t>(grade)];
  }
  /// Episodes whose deliveries are known as `grade` says; not recorded: the trace does not say what memory delivered.
  [[nodiscard]] std::uint64_t episodes_of(DeliveryGrade grade) const {
    return delivery_grades[static_cast<std::size_t>(grade)];
  }
  [[nodiscard]] std::uint64_t spans() const {
    return profiled_spans + automatic_spans + empty_spans + unresolved_spans + not_judged_spans;
  }
  /// Denominator of triage shares.
  [[nodiscard]] std::uint64_t triaged() const { return profiled_spans + automatic_spans; }
  [[nodiscard]] std::uint64_t verdict_count(Verdict verdict) const {
    return verdicts[static_cast<std::size_t>(verdict)];
  }
  [[nodiscard]] std::uint64_t tokens(TokenEstimator estimator) const {
    return estimator == TokenEstimator::recorded ? recorded_tokens : estimated_tokens;
  }
  Counts& operator+=(const Counts& other);
};

/// The profile of a run, or of a configuration over all its runs.
struct Profile {
  Counts counts;
  std::map<std::string, std::uint64_t> unresolved_reasons;
  std::array<std::optional<double>, kMeasureCount> values;  ///< nothing: not assessed, or no event to compute it from

  /// Shares in 0…1, yields and efficiency in their unit.
  [[nodiscard]] std::optional<double> value(Measure measure) const { return values[static_cast<std::size_t>(measure)]; }
};

struct RunProfile {
  std::string run;
  Profile profile;
};

/// A configuration: pooled over its runs, each run, and the spread of every measure over the runs.
struct ConfigurationProfile {
  std::string configuration;
  Profile pooled;
  std::vector<RunProfile> runs;  ///< by name
  std::array<std::optional<stats::Spread>, kMeasureCount> spreads;

  [[nodiscard]] const std::optional<stats::Spread>& spread(Measure measure) const {
    return spreads[static_cast<std::size_t>(measure)];
  }
};

/// Everything the profile tables and exports print.
struct StudyProfile {
  AssessedSignals assessed;
  TokenEstimator estimator = TokenEstimator::utf8_bytes_4;
  std::vector<ConfigurationProfile> configurations;  ///< by name
  std::string baseline;                              ///< the configuration that the others are compared with, if named
};

/// Sums over the episodes of one run, or of several after `merge`.
class Tally {
 public:
  /// Takes in one episode with its spans (one that is not retained only adds to `attempts_set_aside`).
  void add(const EpisodeSpansRecord& record);
  /// Adds the sums of another part of the same run.
  void merge_part(const Tally& other);
  /// Adds the sums of another run; recurring items stay counted run by run.
  void merge_run(const Tally& other);
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Profile profile(TokenEstimator estimator, AssessedSignals assessed) const;

 private:
  friend Counts counts_of(const EpisodeSpansRecord& record);
  void add_attempt(const EpisodeSpansRecord& record);
  void add_deliveries(const EpisodeSpansRecord& record);
  void add_items(const EpisodeSpansRecord& record);
  void add_span(const SpanRecord& span);
  void add_profiled_span(const SpanRecord& span);
  void merge_sums(const Tally& other);

  Counts counts_;  ///< `recurring_items` holds those of merged runs only
  std::array<ShareSum, kEntryShareCount> shares_;
  std::map<std::string, std::uint64_t> unresolved_reasons_;
  std::unordered_map<std::string, std::uint64_t> episodes_of_item_;
};

/// Counts of one attempt alone, retained or not.
[[nodiscard]] Counts counts_of(const EpisodeSpansRecord& record);

/// Sums over a whole study. Not thread-safe; give each thread its own and merge them.
class StudyTally {
 public:
  void add(const EpisodeSpansRecord& record);
  void merge(const StudyTally& other);
  /// All profiles. Recorded token counts are used only when every delivery that placed text has one.
  [[nodiscard]] StudyProfile finish(AssessedSignals assessed) const;

 private:
  std::map<std::string, std::map<std::string, Tally>> runs_;  ///< configuration → run
};

}  // namespace memuse::rules
