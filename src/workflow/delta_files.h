#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "controlled/results.h"
#include "model/diagnostic.h"

namespace memuse::workflow {

/// Question types of LongMemEval by question id.
using QuestionTypes = std::unordered_map<std::string, std::string>;

/// Takes a row and the number of its line. What it returns is a fault in the row; empty when there is none.
using RowSink = std::function<std::string(const controlled::ResultRow& row, std::uint64_t line)>;

/// Reads per-question results, their form known from the content: rows as CSV or JSON Lines, LongMemEval's evaluated
/// answers, or a memuse database (docs/controlled-comparisons.md has all of them). One row is in memory at a time, of
/// CSV the whole file.
///
/// A row that cannot be used is a diagnostic; the rest is read. Throws Error(usage) when the file cannot be read at all
/// or has no such form, Error(environment) for a database that cannot be opened.
void read_result_file(const std::string& path, const QuestionTypes& types, const RowSink& sink,
                      std::vector<Diagnostic>& diagnostics);

/// Reads the types from a file of LongMemEval's questions, a JSON list or JSON Lines. Throws Error(usage) when it is
/// none.
[[nodiscard]] QuestionTypes read_question_types(const std::string& path);

}  // namespace memuse::workflow
