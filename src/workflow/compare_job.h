#pragma once

#include <string>
#include <vector>

#include "attribution/comparison.h"
#include "report/compare_tables.h"
#include "stats/bootstrap.h"
#include "workflow/price_source.h"

namespace memuse::workflow {

/// What `memuse compare` is asked to do.
struct CompareOptions {
  std::string database;
  std::string judge;                        ///< as `choose_judgement_set` knows it
  std::vector<std::string> configurations;  ///< the one that the others are compared with, then the others
  std::vector<std::string> measures;        ///< of the family; empty for `attribution::default_family`
  std::string family;                       ///< its name; empty for one that is made up of the first configuration's
  attribution::Factor factor = attribution::Factor::memory;
  stats::Resampling resampling;
  PriceSource prices;
};

/// Compares, in one pass over the episodes of these configurations. Throws Error(usage) for fewer than two
/// configurations, one named twice, one that the database does not have, and an unknown measure.
[[nodiscard]] report::CompareReport compare_configurations(const CompareOptions& options);

}  // namespace memuse::workflow
