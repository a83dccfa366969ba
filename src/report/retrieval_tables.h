#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/table.h"
#include "retrieval/question.h"
#include "retrieval/summary.h"

namespace memuse::report {

/// A question that stands in a text that was ingested before it was asked.
struct IngestedQuestion {
  std::size_t question = 0;   ///< index into the questions
  std::string configuration;  ///< both empty when a log of ingested texts says it, which holds for all runs
  std::string run;
  std::string place;        ///< file and line, or episode and what of it
  bool order_known = true;  ///< false where nothing says whether the text came first
};

/// Gold questions that other configurations have a result for, and this one has not.
struct ConfigurationGap {
  std::string configuration;
  std::vector<std::string> questions;  ///< ids, in the order of the gold file
};

/// Everything `memuse retrieval` came to.
struct RetrievalReport {
  std::vector<retrieval::GoldQuestion> questions;
  std::vector<retrieval::ScoredResult> results;  ///< by configuration, run, question
  std::vector<retrieval::ConfigurationSummary> configurations;
  retrieval::ScoreOptions options;
  std::vector<std::string> without_result;  ///< gold questions that no result answers
  std::vector<ConfigurationGap> gaps;       ///< by configuration
  std::vector<std::string> without_gold;    ///< questions of results that no gold question names
  std::vector<std::string> without_search;  ///< episodes of gold questions in which nothing was searched
  std::uint64_t failed_searches = 0;        ///< counted as having returned nothing
  bool phase_checked = false;               ///< was at least one ingested text looked through?
  std::size_t phase_questions = 0;          ///< questions whose text is known and long enough to be looked for
  std::vector<IngestedQuestion> ingested;   ///< sorted
};

/// `retrieval`: precision, recall and F1 per category and depth, with tokens and latency.
[[nodiscard]] Table retrieval_table(const RetrievalReport& report);
/// `retrieval-checks`: abstention, supersession, temporal correctness, with tokens and latency.
[[nodiscard]] Table retrieval_checks_table(const RetrievalReport& report);
/// `phase-separation`: the questions that were ingested before they were asked, with their places.
[[nodiscard]] Table phase_table(const RetrievalReport& report);
/// `retrieval-questions`: a row per result.
[[nodiscard]] Table retrieval_questions_table(const RetrievalReport& report);

/// Everything, for programs, in full precision; missing numbers are null. With `questions` a record per result.
[[nodiscard]] nlohmann::ordered_json retrieval_json(const RetrievalReport& report, bool questions);

}  // namespace memuse::report
