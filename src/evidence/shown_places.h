#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence_set.h"
#include "judge/cited_place.h"
#include "model/folded_text.h"

namespace memuse::evidence {

/// What the evidence files of a span show at the places that an answer cites. A quote stands in a file when one of its
/// recorded texts or values holds it; memuse's own lines around them (headings, borders) are no evidence.
class ShownPlaces : public judge::CitedPlaces {
 public:
  /// `step_0_is_memory_too`: in labels by other hands, step 0 is the task or the memory that was placed.
  ShownPlaces(const EvidenceSet& evidence, bool step_0_is_memory_too)
      : evidence_(evidence), step_0_is_memory_too_(step_0_is_memory_too) {}

  [[nodiscard]] bool exists(const judge::CitedPlace& place) override;
  bool holds(const judge::CitedPlace& place, std::string_view quote) override;
  bool is_line(const judge::CitedPlace& place, std::string_view quote) override;
  bool visible_before(const judge::CitedPlace& place, std::string_view quote) override;
  std::string advice(const judge::CitedPlace& place, std::string_view quote) override;

  /// The first place where the quote stands; nothing when it does not.
  std::optional<Evidence::Place> locate(const judge::CitedPlace& place, std::string_view quote);

 private:
  /// A recorded text of a file.
  struct Recorded {
    std::uint64_t begin = 0;
    FoldedText folded;
  };

  [[nodiscard]] std::vector<std::string> files_of(const judge::CitedPlace& place) const;
  [[nodiscard]] std::vector<Recorded> fold(const std::string& file, const std::vector<ByteRange>& ranges) const;
  const std::vector<Recorded>& recorded(const std::string& file);

  const EvidenceSet& evidence_;
  bool step_0_is_memory_too_;
  std::map<std::string, std::vector<Recorded>> recorded_;
  int files_searched_ = 0;  ///< for advice
};

}  // namespace memuse::evidence
