#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "evidence/evidence_file.h"
#include "evidence/evidence_set.h"
#include "model/entries.h"
#include "spans/exposures.h"
#include "spans/visibility.h"

namespace memuse::evidence {

/// An entry of a delivery, by numbers of `spans::Exposures`.
struct ExposurePlace {
  std::uint32_t delivery = 0;
  std::uint32_t exposure = 0;  ///< index into `Exposures::of(delivery)`
};

struct EpisodeEvidence::Parts {
  Parts(const Episode& episode_given, const EpisodeSpans& spans_given, EvidenceOptions options_given);

  const Episode& episode;
  const EpisodeSpans& spans;
  EvidenceOptions options;
  spans::Exposures exposures;
  spans::Visibility visibility;
  std::string identity;                ///< what the episode is, for the tokens of borders
  std::vector<std::uint32_t> span_of;  ///< by delivery: number of its span; 0 when it is in none
  /// Consumed deliveries that expose something, by the message that they stand in, in order.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> placed_in;
  /// Where each item, and each text without an item, was exposed, in order.
  std::vector<std::vector<ExposurePlace>> exposures_of_item, exposures_of_text;
  std::vector<BuiltFile> steps;  ///< step k at k-1

  /// True when the delivery's copy of one of its entries can be seen at `step` (not before its consuming step).
  [[nodiscard]] bool shows(ExposurePlace place, std::uint32_t step) const;
  /// True when the copy of any entry of the delivery can be seen at `step`.
  [[nodiscard]] bool visible(std::uint32_t delivery, std::uint32_t step) const;
  [[nodiscard]] const std::vector<std::uint32_t>& deliveries_in(std::uint32_t message) const;
};

/// Bytes of its message that a delivery's placed text takes up, as the message stood at the delivery line.
ByteRange placed_range(const Episode& episode, const Delivery& delivery);

/// Text of the message as the step recorded it; what its step file shows.
TextId recorded_text(const Message& message);

/// `D3`: a delivery by its index in the episode.
std::string delivery_name(std::uint32_t delivery);
/// `M3`: a message by its index in the episode.
std::string message_name(std::uint32_t message);
/// "by the host" or "as the agent asked".
std::string_view route_in_words(Route route);
/// Item ids of a delivery's entries as JSON strings, `(no item id)` for those without one; long lists are cut.
std::string items_in_words(const Episode& episode, const Delivery& delivery);
/// `3 bytes`, `1 byte`.
std::string in_bytes(std::uint64_t bytes);

}  // namespace memuse::evidence
