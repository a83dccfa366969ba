#include "spans/visibility.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "spans/text_matcher.h"

// When the copy of an entry can be seen.
//
// A visible input is never built. A message is visible for one run of steps; within it, each rewrite starts a new text.
// So the copy of a delivery is visible in two kinds of steps:
//
//   * from its consuming step until the first rewrite after the delivery line takes effect: everything is visible, no
//     text is looked at (`Copy::unchanged`);
//   * after that, wherever the new text still contains the entry's text, or every entry's text for the delivery as a
//     whole (`Visibility::after_rewrites`).
//
// Only messages that were rewritten after a delivery line cost more than a few numbers: each of their later texts is
// normalised and scanned once for all texts that were ever delivered in that message.
//
// Cost: the bytes of those rewrites and of the texts delivered there.

namespace memuse::spans {
namespace {

/// Index of the version in which the message stood at that moment of the line clock.
std::size_t version_at_order(const Message& message, std::uint32_t moment) {
  const auto after =
      std::upper_bound(message.versions.begin(), message.versions.end(), moment,
                       [](std::uint32_t value, const TextVersion& version) { return value < version.order; });
  return after == message.versions.begin() ? 0 : static_cast<std::size_t>(after - message.versions.begin()) - 1;
}

/// Steps in which the message is visible; absent when there are none.
std::optional<Stretch> visible_steps(const Message& message, std::uint32_t step_count) {
  if (message.end_step == 0) return std::nullopt;
  const Stretch steps{std::max(message.first_step, 1U), std::min(message.end_step - 1, step_count)};
  if (steps.first > steps.last) return std::nullopt;
  return steps;
}

/// The steps of `visible` in which the message has the text of that version; absent when there are none.
std::optional<Stretch> steps_of_version(const Message& message, std::size_t version, Stretch visible) {
  if (version > 0) visible.first = std::max(visible.first, message.versions[version].from_step);
  if (version + 1 < message.versions.size()) {
    const std::uint32_t end = message.versions[version + 1].from_step;
    if (end <= visible.first) return std::nullopt;
    visible.last = std::min(visible.last, end - 1);
  }
  if (visible.first > visible.last) return std::nullopt;
  return visible;
}

/// Notes which texts of a matcher occur in one subject after the other.
class OccurrenceMarks {
 public:
  OccurrenceMarks(const TextMatcher& matcher, std::size_t text_count) : matcher_(matcher), seen_(text_count) {}

  /// Calls `visit` once for every text that occurs in `subject`.
  template <typename Visit>
  void for_each_in(std::string_view subject, Visit&& visit) {
    ++round_;
    matcher_.scan(subject, [&](std::size_t, std::uint32_t text) {
      // Whoever was seen was followed to its last suffix then.
      for (; text != TextMatcher::kNoText && seen_[text] != round_; text = matcher_.longest_proper_suffix(text)) {
        seen_[text] = round_;
        visit(text);
      }
    });
  }

 private:
  const TextMatcher& matcher_;
  std::vector<std::size_t> seen_;  // round in which a text was last seen
  std::size_t round_ = 0;
};

const std::vector<Stretch> kNoSteps;

}  // namespace

Visibility::Visibility(const Exposures& exposures)
    : exposures_(exposures), faults_(exposures.delivery_count(), Fault::none), copies_(exposures.delivery_count()) {
  const Episode& episode = exposures.episode();
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_rewritten_message;
  for (std::uint32_t i = 0; i < exposures.delivery_count(); ++i) {
    const Delivery& delivery = episode.deliveries[i];
    const bool rewritten = delivery.message && episode.messages[*delivery.message].versions.size() > 1;
    if (rewritten && !exposures.of(i).empty() && delivery.consuming_step != kNever) {
      by_rewritten_message[*delivery.message].push_back(i);
    }
  }
  for (const auto& [message, deliveries] : by_rewritten_message) scan_rewrites(message, deliveries);
  for (std::uint32_t i = 0; i < exposures.delivery_count(); ++i) faults_[i] = place_copy(i);
}

void Visibility::scan_rewrites(std::uint32_t message_index, const std::vector<std::uint32_t>& deliveries) {
  const Episode& episode = exposures_.episode();
  const Message& message = episode.messages[message_index];
  const std::optional<Stretch> visible = visible_steps(message, episode.step_count());
  std::uint32_t earliest_line = kNever;
  std::uint32_t earliest_step = kNever;
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t delivery : deliveries) {
    earliest_line = std::min(earliest_line, episode.deliveries[delivery].order);
    earliest_step = std::min(earliest_step, episode.deliveries[delivery].consuming_step);
    for (const Exposure& exposure : exposures_.of(delivery)) numbers.push_back(exposure.text);
  }
  const std::size_t first_rewrite = version_at_order(message, earliest_line) + 1;
  if (!visible || first_rewrite == message.versions.size()) return;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string_view> texts;
  texts.reserve(numbers.size());
  for (const std::uint32_t number : numbers) texts.push_back(exposures_.text(number));

  const TextMatcher matcher(texts);
  OccurrenceMarks marks(matcher, texts.size());
  for (std::size_t version = first_rewrite; version < message.versions.size(); ++version) {
    const std::optional<Stretch> steps = steps_of_version(message, version, *visible);
    if (!steps || steps->last < earliest_step) continue;
    marks.for_each_in(normalise_text(episode.texts[message.versions[version].text]), [&](std::uint32_t text) {
      std::vector<Stretch>& stretches = after_rewrites_[key(message_index, numbers[text])];
      if (!stretches.empty() && stretches.back().last + 1 == steps->first) {
        stretches.back().last = steps->last;
      } else {
        stretches.push_back(*steps);
      }
    });
  }
}

const std::vector<Stretch>& Visibility::after_rewrites(std::uint32_t message, std::uint32_t text) const {
  const auto found = after_rewrites_.find(key(message, text));
  return found == after_rewrites_.end() ? kNoSteps : found->second;
}

Visibility::Fault Visibility::place_copy(std::uint32_t index) {
  const Episode& episode = exposures_.episode();
  const Delivery& delivery = episode.deliveries[index];
  if (delivery.consuming_step == kNever) return Fault::no_step;
  if (!delivery.message) return exposures_.of(index).empty() ? Fault::none : Fault::no_message;
  const Message& message = episode.messages[*delivery.message];
  if (!message.visible_at(delivery.consuming_step)) return Fault::not_in_input;
  if (exposures_.of(index).empty()) return Fault::none;

  const Stretch left{delivery.consuming_step, std::min(message.end_step - 1, episode.step_count())};
  Copy& copy = copies_[index];
  copy.message = *delivery.message;
  copy.first = delivery.consuming_step;
  copy.unchanged = steps_of_version(message, version_at_order(message, delivery.order), left);
  return holds_everything_at(index, copy) ? Fault::none : Fault::text_gone;
}

bool Visibility::holds_everything_at(std::uint32_t delivery, const Copy& copy) const {
  if (copy.unchanged) return true;
  const std::vector<Exposure>& exposures = exposures_.of(delivery);
  return std::all_of(exposures.begin(), exposures.end(), [&](const Exposure& exposure) {
    return stretch_at(after_rewrites(copy.message, exposure.text), copy.first).has_value();
  });
}

std::string Visibility::reason_unconsumed(std::uint32_t delivery) const {
  const std::uint32_t step = exposures_.episode().deliveries[delivery].consuming_step;
  switch (faults_[delivery]) {
    case Fault::none:
      break;
    case Fault::no_step:
      return "No step followed it.";
    case Fault::no_message:
      return "It names no message, so no input is known to hold its entries.";
    case Fault::not_in_input:
      return fmt::format("Its message was not in the input of step {}.", step);
    case Fault::text_gone:
      return fmt::format("Its message was rewritten before step {} and no longer held the text of every entry.", step);
  }
  return {};
}

std::vector<UnconsumedDelivery> list_unconsumed(const Exposures& exposures, const Visibility& visibility) {
  std::vector<UnconsumedDelivery> unconsumed;
  for (std::uint32_t i = 0; i < exposures.delivery_count(); ++i) {
    if (!visibility.consumed(i)) unconsumed.push_back({i, visibility.reason_unconsumed(i)});
  }
  return unconsumed;
}

}  // namespace memuse::spans
