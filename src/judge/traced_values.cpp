#include "judge/traced_values.h"

#include <algorithm>

#include "judge/atoms.h"
#include "judge/probe_forms.h"
#include "model/entries.h"

namespace memuse::judge {

namespace {

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
         byte == '_';
}

/// `value` stands in `text` and is no part of a longer word there.
bool holds_whole(std::string_view text, std::string_view value) {
  for (std::size_t at = text.find(value); at != std::string_view::npos; at = text.find(value, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]) || !is_word(value.front());
    const std::size_t end = at + value.size();
    if (begins && (end == text.size() || !is_word(text[end]) || !is_word(value.back()))) return true;
  }
  return false;
}

}  // namespace

TracedValues::TracedValues(const Episode& episode, const EpisodeSpans& spans) {
  if (episode.probe) {
    gold_ = probe_values(episode.probe->gold);
    stale_ = probe_values(episode.probe->stale);
  }
  for (const Delivery& delivery : episode.deliveries) {
    for (const Entry& entry : delivery.entries) {
      for (const std::string_view identifier : entry.identifiers) {
        if (!identifier.empty()) identifiers_.try_emplace(identifier, table_.add(name_pattern(identifier)));
      }
    }
  }
  std::unordered_map<std::string, std::size_t> known;
  for (const Span& span : spans.spans) {
    if (span.deliveries.empty() || span.deliveries.front().delivery >= episode.deliveries.size()) continue;
    const std::uint32_t target = span.deliveries.front().delivery;
    const std::vector<ExposedEntry> exposed = exposed_entries(episode, episode.deliveries[target]);
    for (const SpanEntry& entry : span.entries) {
      const auto found = std::partition_point(exposed.begin(), exposed.end(),
                                              [&](const ExposedEntry& e) { return e.index < entry.entry; });
      if (!entry.window || found == exposed.end() || found->index != entry.entry) continue;
      static const std::vector<std::string_view> none;
      const auto& identifiers = found->recorded != nullptr ? found->recorded->identifiers : none;
      std::string content(found->text);
      for (const std::string_view identifier : identifiers) content.append(1, '\0').append(identifier);
      const auto [place, inserted] = known.try_emplace(std::move(content), traced_.size());
      if (inserted) traced_.push_back(trace(found->text, identifiers));
      entries_[{target, entry.entry}] = place->second;
    }
  }
}

/// What a check asks for is a value whatever its shape: versions, addresses, short numbers.
void TracedValues::trace_probe(std::string_view text, std::vector<TracedValue>& traced) const {
  for (const std::vector<ProbeValue>* values : {&gold_, &stale_}) {
    for (const ProbeValue& value : *values) {
      if (value.text.size() < kShortestProbeValue || !holds_whole(text, value.text)) continue;
      const bool is_known = std::any_of(traced.begin(), traced.end(), [&](const TracedValue& other) {
        const bool needs_words = other.kind == ValueKind::keyed_number || other.kind == ValueKind::plain_number;
        return !other.weak && !needs_words && other.text == value.text;
      });
      if (is_known) continue;
      TracedValue& added = traced.emplace_back();
      added.kind = ValueKind::probe;
      added.text = value.text;
      added.forms = value.forms;
      added.known_forms = value.forms;
    }
  }
}

std::vector<PatternId> TracedValues::add_all(const std::vector<Pattern>& patterns) {
  std::vector<PatternId> ids;
  for (const Pattern& pattern : patterns) {
    if (!pattern.atoms.empty()) ids.push_back(table_.add(pattern));
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::vector<TracedValue> TracedValues::trace(std::string_view text, const std::vector<std::string_view>& identifiers) {
  std::vector<TracedValue> traced;
  for (Value& value : traceable_values(text, identifiers)) {
    TracedValue& added = traced.emplace_back();
    added.kind = value.kind;
    added.text = std::move(value.text);
    added.weak = value.weak;
    added.forms = add_all(value.forms);
    value.known_forms.insert(value.known_forms.end(), value.forms.begin(), value.forms.end());
    added.known_forms = add_all(value.known_forms);
    for (const std::string& part : value.parts) added.parts.push_back(atom_key(part));
    parts_.insert(added.parts.begin(), added.parts.end());
  }
  trace_probe(text, traced);
  return traced;
}

std::vector<ProbeValue> TracedValues::probe_values(const std::vector<std::string_view>& values) {
  std::vector<ProbeValue> probes;
  for (const std::string_view value : values) {
    probes.push_back({std::string(value), add_all(probe_forms(value))});
  }
  return probes;
}

const std::vector<TracedValue>& TracedValues::of(std::uint32_t delivery, std::uint32_t entry) const {
  static const std::vector<TracedValue> none;
  const auto found = entries_.find({delivery, entry});
  return found == entries_.end() ? none : traced_[found->second];
}

}  // namespace memuse::judge
