#pragma once

#include <cstdint>
#include <vector>

#include "spans/containment.h"
#include "spans/identifier_sets.h"

namespace memuse::spans {

/// The credit that is open to the entries of a family, which come in order (semantics.md §3, empty windows).
class OpenCredit {
 public:
  /// `askers[t]` has the places, ascending, of the entries with text t whose windows are to be decided. All arguments
  /// must outlive the object.
  OpenCredit(const Containment& containment, const IdentifierSets& identifier_sets,
             const std::vector<std::vector<std::uint32_t>>& askers);

  /// Opens the credit of the entry at `place`: until step `last`, for its text and every text inside it.
  void open(std::uint32_t place, std::uint32_t text, std::uint32_t identifiers, std::uint32_t last);
  /// True when credit that was opened so far covers an entry with this text and these identifiers at `step`. Steps
  /// never go back from call to call.
  [[nodiscard]] bool covers(std::uint32_t text, std::uint32_t identifiers, std::uint32_t step);

 private:
  struct Offer {
    std::uint32_t identifiers = 0;
    std::uint32_t last = 0;  // step
  };

  void reach(std::uint32_t place, std::uint32_t text);

  const Containment& containment_;
  const IdentifierSets& identifier_sets_;
  std::vector<std::uint32_t> asked_until_;         // by text: one past the last place that asks with it
  std::vector<std::uint32_t> asked_inside_until_;  // the same over the text and everything inside it
  std::vector<std::vector<Offer>> offers_;         // by text
  std::vector<std::uint32_t> reached_by_;          // by text: one past the place that came by last
  std::vector<std::uint32_t> to_visit_;
};

}  // namespace memuse::spans
