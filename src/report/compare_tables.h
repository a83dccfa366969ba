#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attribution/comparison.h"
#include "model/records.h"
#include "report/table.h"

namespace memuse::report {

/// Everything that `memuse compare` prints.
struct CompareReport {
  attribution::StudyFacts study;  ///< of the compared configurations alone; `comparisons` point into it
  attribution::ComparisonRequest request;
  std::string family_name;
  attribution::Factor declared = attribution::Factor::memory;
  std::vector<attribution::Comparison> comparisons;
  JudgementSetRecord set;     ///< with agreements; its `judge` is empty when nothing was judged
  std::string cost_sentence;  ///< how costs were found (`workflow::PriceSource::sentence`)
};

/// One row a measure: values of both sides over the matched tasks, difference with interval, p, Holm's p. Several
/// comparisons stand below each other.
[[nodiscard]] Table compare_table(const CompareReport& report);

/// The tasks that only one side of a comparison has.
[[nodiscard]] Table unmatched_table(const CompareReport& report);

/// Everything, shares as 0…1 (schemas/compare-1.schema.json).
[[nodiscard]] nlohmann::ordered_json compare_json(const CompareReport& report);

/// What a reader has to be warned of: "cards against plain: the models differ (…), so …", one a line.
[[nodiscard]] std::vector<std::string> compare_warnings(const CompareReport& report);

}  // namespace memuse::report
