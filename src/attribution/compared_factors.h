#pragma once

#include <vector>

#include "attribution/comparison.h"

namespace memuse::attribution {

/// The states of all factors, in the order of the enum. Over all retained episodes of the two sides, matched or not.
[[nodiscard]] std::vector<FactorState> compare_factors(const StudyFacts& study, const Episodes& first,
                                                       const Episodes& second, const Pairing& pairing);

}  // namespace memuse::attribution
