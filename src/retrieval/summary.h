#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "retrieval/question.h"
#include "retrieval/score.h"
#include "stats/bootstrap.h"

namespace memuse::retrieval {

/// A search result with its scores.
struct ScoredResult {
  SearchResult result;
  std::vector<DepthScore> depths;  ///< one per depth that was asked for
  std::vector<FactReturn> facts;   ///< one per supersession of the question
  std::optional<Temporal> temporal;
};

/// What the answers cost: percentiles over the results that say it.
struct Cost {
  std::size_t with_tokens = 0;
  std::size_t tokens_estimated = 0;  ///< of these
  std::optional<double> tokens_p50;
  std::optional<double> tokens_p95;
  std::size_t with_latency = 0;
  std::optional<double> latency_p50;  ///< milliseconds
  std::optional<double> latency_p95;
};

/// Below so many questions a mean gets no interval: it would say more about the few than about the memory.
inline constexpr std::size_t kFewestForInterval = 10;

/// Precision, recall and F1 at one depth over a group of results.
struct DepthSummary {
  Depth depth = 0;
  /// Macro: means over results, with intervals.
  std::optional<stats::Estimate> precision;
  std::optional<stats::Estimate> recall;
  std::optional<stats::Estimate> f1;
  /// Micro: from the sums over results. Nothing where the sum below is 0. What abstention items returned counts as
  /// returned.
  std::optional<double> micro_precision;
  std::optional<double> micro_recall;
  std::optional<double> micro_f1;
};

/// Results of one configuration and category.
struct CategorySummary {
  std::string category;  ///< empty with `all`
  bool all = false;      ///< over all categories
  std::size_t n = 0;     ///< results
  std::size_t questions = 0;
  std::vector<DepthSummary> depths;
  Cost cost;
};

/// A share of results (or of facts in them) that did right.
struct CheckSummary {
  std::size_t right = 0;
  std::size_t n = 0;        ///< those of which it is known
  std::size_t unknown = 0;  ///< those of which it is not
  std::optional<stats::Estimate> share;
  Cost cost;  ///< of the results that have such a case
};

struct ConfigurationSummary {
  std::string configuration;
  std::vector<std::string> runs;
  std::vector<CategorySummary> categories;  ///< by name; all together last
  CheckSummary abstention;                  ///< abstention items for which nothing was returned
  CheckSummary newest_returned;             ///< contradicted facts whose newest version was returned first
  CheckSummary newest_used;                 ///< of these facts: newest version returned first, and its value carried on
  CheckSummary valid_returned;              ///< questions about a time that got what held then
  std::size_t stale_used = 0;               ///< facts of which a stale value was carried on and the newest was not
};

struct ScoreOptions {
  std::vector<Depth> depths{1, 3, 5, 10, 0};
  stats::Resampling resampling;  ///< of questions; 0 resamples for no intervals
};

/// Scores each result. Order and number stay.
[[nodiscard]] std::vector<ScoredResult> score(const std::vector<GoldQuestion>& questions,
                                              std::vector<SearchResult> results, const std::vector<Depth>& depths);

/// Summaries by configuration, sorted by name. Runs are pooled; the bootstrap draws questions with all their runs.
[[nodiscard]] std::vector<ConfigurationSummary> summarise(const std::vector<GoldQuestion>& questions,
                                                          const std::vector<ScoredResult>& results,
                                                          const ScoreOptions& options);

}  // namespace memuse::retrieval
