#include "report/span_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/text.h"

namespace memuse::report {
namespace {

bool has_all(const std::vector<std::string>& wanted, const std::vector<std::string>& present) {
  return std::all_of(wanted.begin(), wanted.end(), [&present](const std::string& identifier) {
    return std::find(present.begin(), present.end(), identifier) != present.end();
  });
}

bool covers(const EntryRecord& owner, const SpanRecord& owner_span, const EntryRecord& entry, std::uint32_t step,
            const std::string& text) {
  if (!owner.window || owner_span.first_step > step) return false;
  if (step < owner.window->first || step > owner.window->last) return false;
  if (entry.item && owner.item != entry.item) return false;
  return has_all(entry.identifiers, owner.identifiers) && normalise_text(owner.text).find(text) != std::string::npos;
}

}  // namespace

const SpanRecord& span_of(const EpisodeSpansRecord& record, std::uint32_t number) {
  for (const SpanRecord& span : record.spans) {
    if (span.number == number) return span;
  }
  const std::string episode = printable(record.episode.episode);
  if (record.spans.empty()) throw Error(ExitCode::usage, fmt::format("episode {} has no spans", episode));
  const std::uint32_t first = record.spans.front().number;
  const std::uint32_t last = record.spans.back().number;
  const std::string present = first == last ? fmt::format("S{}", first) : fmt::format("S{} to S{}", first, last);
  throw Error(ExitCode::usage, fmt::format("episode {} has no span S{}; it has {}", episode, number, present));
}

std::vector<EntryPlace> earlier_copies(const EpisodeSpansRecord& record, const SpanRecord& span,
                                       const EntryRecord& entry) {
  std::vector<EntryPlace> places;
  const std::string text = entry.item ? std::string() : normalise_text(entry.text);
  for (const SpanRecord& other : record.spans) {
    if (other.number >= span.number) continue;
    for (const EntryRecord& candidate : other.entries) {
      const bool same = entry.item ? candidate.item == entry.item : normalise_text(candidate.text) == text;
      if (same) places.push_back({other.number, candidate.entry, other.first_step, other.last_step >= span.first_step});
    }
  }
  return places;
}

std::optional<EntryPlace> credit_owner(const EpisodeSpansRecord& record, const SpanRecord& span,
                                       const EntryRecord& entry) {
  const std::string text = normalise_text(entry.text);
  for (const SpanRecord& other : record.spans) {
    if (other.number > span.number) break;
    for (const EntryRecord& candidate : other.entries) {
      if (other.number == span.number && candidate.entry >= entry.entry) break;
      if (covers(candidate, other, entry, span.first_step, text)) {
        return EntryPlace{other.number, candidate.entry, other.first_step, other.last_step >= span.first_step};
      }
    }
  }
  return std::nullopt;
}

std::optional<ByteRange> range_in_placed_text(const Episode& episode, const Delivery& target,
                                              const EntryRecord& entry) {
  const std::string_view placed = episode.placed_text(target);
  const std::uint64_t offset = target.range ? target.range->begin : 0;
  if (entry.entry < target.entries.size()) {
    const auto& range = target.entries[entry.entry].range;
    if (range && range->begin >= offset && range->begin <= range->end && range->end - offset <= placed.size()) {
      const std::string_view there = placed.substr(range->begin - offset, range->end - range->begin);
      if (normalise_text(there).find(normalise_text(entry.text)) != std::string::npos) {
        return ByteRange{range->begin - offset, range->end - offset};
      }
    }
  }
  const std::size_t at = placed.find(entry.text);
  if (at == std::string_view::npos || entry.text.empty()) return std::nullopt;
  return ByteRange{at, at + entry.text.size()};
}

const Delivery* target_delivery(const Episode& episode, const SpanRecord& span) {
  if (span.deliveries.empty()) return nullptr;
  const std::uint32_t index = span.deliveries.front().delivery_index;
  return index < episode.deliveries.size() ? &episode.deliveries[index] : nullptr;
}

JudgingFacts judging_facts(const JudgementDetails& details) {
  JudgingFacts facts;
  for (const nlohmann::json& call : nlohmann::json::parse(details.calls)) {
    const nlohmann::json& usage = call.at("usage");
    ++facts.calls;
    if (!usage.contains("input") || !usage.contains("output")) ++facts.calls_without_tokens;
    facts.input_tokens += usage.value("input", std::uint64_t{0});
    facts.cached_input_tokens += usage.value("cached_input", std::uint64_t{0});
    facts.output_tokens += usage.value("output", std::uint64_t{0});
  }
  const nlohmann::json ledger = nlohmann::json::parse(details.ledger);
  for (const auto& [file, ranges] : ledger.items()) {
    std::uint64_t bytes = 0;
    for (const nlohmann::json& range : ranges)
      bytes += range.at(1).get<std::uint64_t>() - range.at(0).get<std::uint64_t>();
    facts.bytes_shown.emplace_back(file, bytes);
  }
  return facts;
}

}  // namespace memuse::report
