#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "controlled/study.h"
#include "report/table.h"

namespace memuse::report {

/// A study of strategies with what belongs into its captions.
struct DeltaReport {
  controlled::Declaration declaration;
  controlled::Results results{0};
  controlled::Study study;
  stats::Resampling resampling;  ///< 0 resamples: no intervals
  /// Strategies that rows name and the declaration does not, with the number of their rows.
  std::vector<std::pair<std::string, std::uint64_t>> undeclared;
  std::uint64_t rows_not_selected = 0;  ///< rows of a declared strategy that its `select` leaves out
};

/// Names of the tables, in the order in which they are printed.
[[nodiscard]] const std::vector<std::string>& delta_table_names();

/// The table of that name (one of `delta_table_names`); one without rows when there is nothing to show.
[[nodiscard]] Table delta_table(const DeltaReport& report, const std::string& name);

/// All numbers unrounded; shares 0…1, missing numbers null.
[[nodiscard]] nlohmann::ordered_json delta_json(const DeltaReport& report);

}  // namespace memuse::report
