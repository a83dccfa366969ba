#pragma once

#include <vector>

#include "evidence/episode_parts.h"
#include "evidence/prior_input.h"
#include "model/span.h"

namespace memuse::evidence {

/// What the files of one span are made from.
struct SpanParts {
  SpanParts(const EpisodeEvidence::Parts& parts_given, const Span& span_given);

  const EpisodeEvidence::Parts& parts;
  const Episode& episode;
  const Span& span;
  std::optional<std::uint32_t> target;
  PriorInput input;
  std::string identity;  ///< for the tokens of borders
  std::string of_span;   ///< "span S2 of episode "e" (first seen by step 5 of 12)"

  /// True when the delivery came before the span's target, in a span of its own.
  [[nodiscard]] bool earlier(std::uint32_t delivery) const;
};

BuiltFile task_file(const SpanParts& span);
BuiltFile target_file(const SpanParts& span);
BuiltFile prior_context_file(const SpanParts& span);
BuiltFile other_messages_file(const SpanParts& span);
/// True when the input has text for `other_messages`.
bool has_other_messages(const SpanParts& span);
BuiltFile earlier_copies_file(const SpanParts& span);
BuiltFile deliveries_file(const SpanParts& span);
BuiltFile reference_file(const SpanParts& span);
BuiltFile outcome_file(const SpanParts& span);

/// All files of the span in the order of semantics.md §6.
std::vector<BuiltFile> span_files(const SpanParts& span);

/// True when an earlier copy could be seen in the input of the span's first step, or up to the step before.
bool was_visible(const SpanParts& span, ExposurePlace place);
/// `text` holds `part`.
bool contains(std::string_view text, std::string_view part);
/// Adds the parts of a text of a step file that were before the agent when the target was consumed: all of it while its
/// message shows it in the input, but for the target and what came with it or after it.
void add_step_text_before(const SpanParts& span, const RecordedPart& part, std::vector<ByteRange>& ranges);

/// Says of a delivery in a few lines what it is.
void write_delivery_facts(FileWriter& out, const SpanParts& span, std::uint32_t delivery);
/// The values of an entry: item, version, identifiers.
void write_entry_values(FileWriter& out, const ExposedEntry& entry, bool visible_before);

}  // namespace memuse::evidence
