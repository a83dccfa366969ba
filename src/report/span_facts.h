#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/episode.h"
#include "model/records.h"

// What the views read off a record beyond its fields.

namespace memuse::report {

/// An entry of another span, by name.
struct EntryPlace {
  std::uint32_t span = 0;
  std::uint32_t entry = 0;
  std::uint32_t step = 0;      ///< first consuming step of that span
  bool still_visible = false;  ///< a copy of that span is visible at the asking span's first step
};

/// The span of that number. Throws `Error` (usage) if there is none.
[[nodiscard]] const SpanRecord& span_of(const EpisodeSpansRecord& record, std::uint32_t number);

/// Entries of the same item (without an item id: of the same text) in spans before `span`.
[[nodiscard]] std::vector<EntryPlace> earlier_copies(const EpisodeSpansRecord& record, const SpanRecord& span,
                                                     const EntryRecord& entry);

/// The entry whose open window makes this one's empty (trace-format.md, last rule), if the record shows it.
[[nodiscard]] std::optional<EntryPlace> credit_owner(const EpisodeSpansRecord& record, const SpanRecord& span,
                                                     const EntryRecord& entry);

/// Where an entry stands in the placed text of its target delivery, in bytes of that text: its recorded range if that
/// holds its text, else the first occurrence of its text.
[[nodiscard]] std::optional<ByteRange> range_in_placed_text(const Episode& episode, const Delivery& target,
                                                            const EntryRecord& entry);

/// The target delivery in the episode; null for a search that counts as a delivery, or when the record does not fit.
[[nodiscard]] const Delivery* target_delivery(const Episode& episode, const SpanRecord& span);

/// Sums over how a span was judged.
struct JudgingFacts {
  std::uint64_t calls = 0, input_tokens = 0, cached_input_tokens = 0, output_tokens = 0;
  std::uint64_t calls_without_tokens = 0;
  std::vector<std::pair<std::string, std::uint64_t>> bytes_shown;  ///< by evidence file
};

/// Reads a record's JSON. Throws nlohmann exceptions when the database is damaged.
[[nodiscard]] JudgingFacts judging_facts(const JudgementDetails& details);

}  // namespace memuse::report
