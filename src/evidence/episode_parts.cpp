#include "evidence/episode_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "evidence/step_files.h"
#include "model/text.h"

namespace memuse::evidence {
namespace {

constexpr std::size_t kItemsListed = 50;
constexpr std::size_t kItemBytes = 200;

const std::vector<std::uint32_t> kNoDeliveries;

bool within(const spans::Stretch& stretch, std::uint32_t step) {
  return stretch.first <= step && step <= stretch.last;
}

}  // namespace

EpisodeEvidence::Parts::Parts(const Episode& episode_given, const EpisodeSpans& spans_given,
                              EvidenceOptions options_given)
    : episode(episode_given),
      spans(spans_given),
      options(options_given),
      exposures(episode),
      visibility(exposures),
      identity(fmt::format("{}\n{}\n{}\n{}", episode.configuration, episode.run, episode.id, episode.task_id)),
      span_of(episode.deliveries.size(), 0),
      exposures_of_item(exposures.item_count()),
      exposures_of_text(exposures.text_count()) {
  for (const Span& span : spans.spans) {
    for (const SpanDelivery& delivery : span.deliveries) {
      if (delivery.delivery < span_of.size()) span_of[delivery.delivery] = span.number;
    }
  }
  for (std::uint32_t d = 0; d < exposures.delivery_count(); ++d) {
    const std::vector<spans::Exposure>& exposed = exposures.of(d);
    if (!visibility.consumed(d) || exposed.empty()) continue;
    placed_in[*episode.deliveries[d].message].push_back(d);
    for (std::uint32_t e = 0; e < exposed.size(); ++e) {
      auto& places =
          exposed[e].item != spans::kNone ? exposures_of_item[exposed[e].item] : exposures_of_text[exposed[e].text];
      places.push_back({d, e});
    }
  }
  steps = step_files(*this);
}

bool EpisodeEvidence::Parts::shows(ExposurePlace place, std::uint32_t step) const {
  const spans::Copy& copy = visibility.copy(place.delivery);
  if (step < copy.first) return false;
  if (copy.unchanged && within(*copy.unchanged, step)) return true;
  const std::uint32_t text = exposures.of(place.delivery)[place.exposure].text;
  return spans::stretch_at(visibility.after_rewrites(copy.message, text), step).has_value();
}

bool EpisodeEvidence::Parts::visible(std::uint32_t delivery, std::uint32_t step) const {
  if (!visibility.consumed(delivery)) return false;
  const std::size_t count = exposures.of(delivery).size();
  for (std::uint32_t e = 0; e < count; ++e) {
    if (shows({delivery, e}, step)) return true;
  }
  return false;
}

const std::vector<std::uint32_t>& EpisodeEvidence::Parts::deliveries_in(std::uint32_t message) const {
  const auto found = placed_in.find(message);
  return found == placed_in.end() ? kNoDeliveries : found->second;
}

EpisodeEvidence::EpisodeEvidence(const Episode& episode, const EpisodeSpans& spans, EvidenceOptions options)
    : parts_(std::make_unique<const Parts>(episode, spans, options)) {}
EpisodeEvidence::~EpisodeEvidence() = default;

ByteRange placed_range(const Episode& episode, const Delivery& delivery) {
  const std::string_view whole = episode.texts[episode.messages[*delivery.message].text_at_order(delivery.order)];
  const std::string_view placed = episode.placed_text(delivery);
  const auto begin = static_cast<std::uint64_t>(placed.data() - whole.data());
  return {begin, begin + placed.size()};
}

TextId recorded_text(const Message& message) {
  return message.versions.front().text;
}

std::string delivery_name(std::uint32_t delivery) {
  return fmt::format("D{}", delivery);
}

std::string message_name(std::uint32_t message) {
  return fmt::format("M{}", message);
}

std::string_view route_in_words(Route route) {
  return route == Route::agent ? "as the agent asked" : "by the host";
}

std::string items_in_words(const Episode& episode, const Delivery& delivery) {
  std::string words;
  std::size_t listed = 0;
  const std::vector<ExposedEntry> entries = exposed_entries(episode, delivery);
  for (const ExposedEntry& entry : entries) {
    if (listed == kItemsListed) return words + fmt::format(" … and {} more", entries.size() - listed);
    words += listed++ == 0 ? "" : ", ";
    words += entry.recorded != nullptr && entry.recorded->item
                 ? json_string(shortened(*entry.recorded->item, kItemBytes))
                 : "(no item id)";
  }
  return words.empty() ? "nothing" : words;
}

std::string in_bytes(std::uint64_t bytes) {
  return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
}

}  // namespace memuse::evidence
