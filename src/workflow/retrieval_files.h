#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "retrieval/question.h"

// The files that `memuse retrieval` reads (docs/retrieval.md). A row that cannot be used whole becomes a diagnostic
// with its line and never stops the rest. All functions throw Error(usage) for a file that cannot be read.

namespace memuse::workflow {

/// Reads gold questions, JSON Lines. Of rows for the same question and search the first counts.
std::vector<retrieval::GoldQuestion> read_gold_questions(const std::string& path, std::vector<Diagnostic>& diagnostics);

/// What a results file gave.
struct RecordedResults {
  std::vector<retrieval::SearchResult> results;
  std::vector<std::string> unknown_questions;  ///< ids that no gold question has; sorted
};

/// Reads results, JSON Lines or CSV (one row per returned item), told apart by content. `configuration` and `run` name
/// what names none.
RecordedResults read_results(const std::string& path, const std::vector<retrieval::GoldQuestion>& questions,
                             const std::string& configuration, const std::string& run,
                             std::vector<Diagnostic>& diagnostics);

/// Reads a log of ingested texts, JSON Lines with `text`; hands over each text with its line.
void read_ingested_texts(const std::string& path, const std::function<void(const std::string&, std::uint64_t)>& sink,
                         std::vector<Diagnostic>& diagnostics);

}  // namespace memuse::workflow
