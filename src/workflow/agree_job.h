#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/agreement_table.h"

namespace memuse::workflow {

/// What `memuse agree` is asked to do.
struct AgreeOptions {
  std::string database;
  std::vector<std::string> sets;  ///< at least two, named as `choose_judgement_set` knows them
  std::uint64_t resamples = 10'000;
  std::uint64_t seed = 0;
};

/// Compares judgement sets, in one pass over the database. Throws Error(usage) for fewer than two sets, a set named
/// twice, and names that fit no set or several.
report::AgreementReport compare_judgement_sets(const AgreeOptions& options);

}  // namespace memuse::workflow
