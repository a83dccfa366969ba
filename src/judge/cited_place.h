#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/labels.h"

namespace memuse::judge {

/// A place that evidence cites: a step, or an evidence file of semantics.md §6.
struct CitedPlace {
  std::optional<std::uint32_t> step;
  std::string file;
  friend auto operator<=>(const CitedPlace&, const CitedPlace&) = default;
};

/// The place that a piece of evidence names; `steps/0003` is step 3, `task` is step 0.
CitedPlace cited_place(const Evidence& evidence);
/// "step 3" or "file target", for messages.
std::string in_words(const CitedPlace& place);

/// What stands at the places that an answer about one span may cite.
class CitedPlaces {
 public:
  virtual ~CitedPlaces() = default;

  /// True when there is such a step or file.
  [[nodiscard]] virtual bool exists(const CitedPlace& place) = 0;
  /// True when the quote stands there, white space folded.
  virtual bool holds(const CitedPlace& place, std::string_view quote) = 0;
  /// True when the quote is a whole line there.
  virtual bool is_line(const CitedPlace& place, std::string_view quote) = 0;
  /// True when what the quote shows was before the agent when the delivery was consumed.
  virtual bool visible_before(const CitedPlace& place, std::string_view quote) = 0;
  /// What to do about a quote that does not stand where it is cited.
  virtual std::string advice(const CitedPlace& /*place*/, std::string_view /*quote*/) {
    return "copy it letter by letter";
  }
};

}  // namespace memuse::judge
