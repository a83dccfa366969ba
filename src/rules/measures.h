#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// The quantities of a profile (semantics.md §8), as a closed list.

namespace memuse::rules {

/// How a measure is to be read and printed.
enum class Unit : std::uint8_t {
  share,              ///< 0…1, printed as a percentage
  per_hundred_spans,  ///< entries per 100 profiled spans
  per_million_tokens  ///< entries per million delivered tokens
};

/// One quantity of a profile. The first six are the axes.
enum class Measure : std::uint8_t {
  relevance,
  corroboration,
  information_gain,
  acted_on,
  benefit,
  harm,
  contradicted,
  novelty_null,
  influence_null,
  effect_null,
  relevance_null,
  accuracy_null,
  beneficial_yield,
  harmful_yield,
  token_efficiency,
  restatement_share,
  resolved
};

inline constexpr std::size_t kAxisCount = 6;
inline constexpr std::size_t kEntryShareCount = 12;  ///< measures that are mean entry shares of profiled spans
inline constexpr std::size_t kMeasureCount = 17;

/// Name and sense of a measure.
struct MeasureInfo {
  Measure measure;
  std::string_view key;    ///< stable name in exports (`information_gain`)
  std::string_view label;  ///< name for people ("Information gain")
  Unit unit;
  std::string_view definition;  ///< one clause, after semantics.md §8
};

/// All measures in the order of the enum.
const std::array<MeasureInfo, kMeasureCount>& measures();

inline const MeasureInfo& info(Measure measure) {
  return measures()[static_cast<std::size_t>(measure)];
}

}  // namespace memuse::rules
