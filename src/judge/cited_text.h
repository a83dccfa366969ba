#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/cited_place.h"
#include "model/episode.h"
#include "model/span.h"

namespace memuse::judge {

/// The cited places of a judge that reads the episode itself, not its evidence files: texts as recorded, each put
/// together once.
class CitedTexts : public CitedPlaces {
 public:
  CitedTexts(const Episode& episode, const Span& span) : episode_(episode), span_(span) {}

  [[nodiscard]] bool exists(const CitedPlace& place) override;
  bool holds(const CitedPlace& place, std::string_view quote) override;
  bool is_line(const CitedPlace& place, std::string_view quote) override;
  bool visible_before(const CitedPlace& place, std::string_view quote) override;

 private:
  /// Texts as recorded; a fault in a judge's answer is no reason to trust its lines.
  [[nodiscard]] std::vector<std::string> texts_of(const CitedPlace& place) const;
  [[nodiscard]] std::vector<std::string> step_texts(std::uint32_t step) const;
  [[nodiscard]] std::vector<std::string> message_texts(bool with_steps) const;
  [[nodiscard]] std::vector<std::string> delivery_texts(bool only_visible) const;
  [[nodiscard]] std::vector<std::string> target_texts() const;
  const std::vector<std::string>& folded(const CitedPlace& place);

  const Episode& episode_;
  const Span& span_;
  std::map<CitedPlace, std::vector<std::string>> folded_;
};

}  // namespace memuse::judge
