#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retrieval/question.h"

namespace memuse::retrieval {

/// How many of the returned items count; 0 for all of them.
using Depth = std::size_t;

/// Precision, recall and F1 of one question among the first returned items. An item that is returned again, in another
/// version or not, counts once, at its first place.
struct DepthScore {
  std::size_t returned = 0;  ///< different items that were returned, at most the depth
  std::size_t hits = 0;      ///< relevant ones among them
  std::size_t relevant = 0;  ///< relevant ones that there are
  double precision = 0.0;    ///< hits / returned; 0 when nothing was returned
  double recall = 0.0;       ///< hits / relevant
  double f1 = 0.0;           ///< harmonic mean of both; 0 when both are 0
};

/// For an abstention item precision is 1 when nothing was returned, else 0, and recall is 1.
[[nodiscard]] DepthScore score_at(const GoldQuestion& question, const std::vector<Returned>& returned, Depth depth);

/// What was returned of a contradicted fact.
enum class FactReturn : std::uint8_t {
  newest,        ///< the newest version, before any superseded one
  stale_first,   ///< a superseded version, and the newest one behind it
  stale_only,    ///< superseded versions only
  not_returned,  ///< none of them
  unknown        ///< the item came without a version, and only a version tells
};
/// `newest`, `stale_first`, `stale_only`, `not_returned`, `unknown`.
[[nodiscard]] std::string name(FactReturn value);
[[nodiscard]] FactReturn fact_return(const Supersession& fact, const std::vector<Returned>& returned);

/// Does what was returned hold at the time that the question asks about? Of each relevant item its first returned
/// version counts.
enum class Temporal : std::uint8_t {
  valid,         ///< all of them hold
  invalid,       ///< one of them does not
  not_returned,  ///< no relevant item was returned
  unknown        ///< neither the gold file nor the result says when one of them holds
};
/// `valid`, `invalid`, `not_returned`, `unknown`.
[[nodiscard]] std::string name(Temporal value);
/// Nothing when the question asks about no time, and for an abstention item, for which nothing should come back.
[[nodiscard]] std::optional<Temporal> temporal(const GoldQuestion& question, const std::vector<Returned>& returned);

/// Does `text` hold `value` as a whole, that is not inside a longer word or number?
[[nodiscard]] bool holds_value(std::string_view text, std::string_view value);

/// The smallest of `values` that at least the share `share` of them does not exceed (nearest rank); nothing of none.
[[nodiscard]] std::optional<double> percentile(std::vector<double> values, double share);

}  // namespace memuse::retrieval
