#pragma once

#include <string>

#include "report/delta_tables.h"

// Sentences about a study of strategies that its tables and its JSON share.

namespace memuse::report {

/// Bytes of a stranger's text in a cell or heading.
inline constexpr std::size_t kShownBytes = 60;

/// What may be concluded from a comparison: the difference, or why it is withheld, with warnings behind.
[[nodiscard]] std::string conclusion(const DeltaReport& report, std::size_t comparison);

/// "4 instances dropped: 3 missing in a, 1 failed in b"; empty when none was.
[[nodiscard]] std::string dropped_words(const DeltaReport& report, std::size_t comparison);

/// How intervals were made.
[[nodiscard]] std::string resampling_words(const DeltaReport& report);

/// What was left out of the rows, or taken otherwise than they stand; empty when nothing was.
[[nodiscard]] std::string row_words(const DeltaReport& report);

}  // namespace memuse::report
