#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/labels.h"

namespace memuse::agreement {

/// The signals of semantics.md §5.
enum class Signal : std::uint8_t { relevance, accuracy, novelty, influence, effect };

inline constexpr std::array kSignals{Signal::relevance, Signal::accuracy, Signal::novelty, Signal::influence,
                                     Signal::effect};

/// The categories that a signal is compared by.
struct SignalScale {
  std::string_view name;
  std::vector<std::string_view> categories;  ///< the values, `null` last
  /// True when the values (`null` left out) stand in an order: influence from `none` to `acted_on`, effect from
  /// `harmed` to `improved`.
  bool ordered = false;
};

const SignalScale& scale(Signal signal);

/// Index of the label into `scale(signal).categories`.
std::size_t category(Signal signal, const Labels& labels);

}  // namespace memuse::agreement
