#include "evidence/prior_input.h"

#include <algorithm>

namespace memuse::evidence {
namespace {

bool begins_before(const InputPart& a, const InputPart& b) {
  return a.range.begin < b.range.begin;
}

/// All bytes up to `size`, those that nobody has taken as `plain`.
std::vector<InputPart> with_gaps_filled(const std::vector<InputPart>& taken, std::uint64_t size, TextHome plain) {
  std::vector<InputPart> all;
  std::uint64_t at = 0;
  for (const InputPart& part : taken) {
    if (at < part.range.begin) all.push_back({{at, part.range.begin}, plain, 0});
    all.push_back(part);
    at = part.range.end;
  }
  if (at < size) all.push_back({{at, size}, plain, 0});
  return all;
}

class InputReader {
 public:
  InputReader(const EpisodeEvidence::Parts& parts, const Span& span)
      : parts_(parts), episode_(parts.episode), step_(span.first_step), target_(target_delivery(parts, span)) {}

  PriorInput read() {
    for (std::uint32_t m = 0; m < episode_.messages.size(); ++m) {
      if (episode_.messages[m].visible_at(step_)) read_message(m);
    }
    std::sort(input_.deliveries.begin(), input_.deliveries.end());
    std::sort(input_.steps.begin(), input_.steps.end());
    input_.steps.erase(std::unique(input_.steps.begin(), input_.steps.end()), input_.steps.end());
    return std::move(input_);
  }

 private:
  void read_message(std::uint32_t index);
  [[nodiscard]] TextHome plain_home(const Message& message, TextId text) const;

  const EpisodeEvidence::Parts& parts_;
  const Episode& episode_;
  std::uint32_t step_;
  std::optional<std::uint32_t> target_;
  PriorInput input_;
};

TextHome InputReader::plain_home(const Message& message, TextId text) const {
  if (message.of_step != 0) return text == recorded_text(message) ? TextHome::step : TextHome::prior_context;
  return belongs_to_task(message) ? TextHome::task : TextHome::other_messages;
}

void InputReader::read_message(std::uint32_t index) {
  const Message& message = episode_.messages[index];
  InputMessage input;
  input.message = index;
  input.text = message.text_at_step(step_);
  const TextHome plain = plain_home(message, input.text);
  input.rewritten = plain == TextHome::prior_context;

  std::vector<std::uint32_t> standing;
  bool target_rewritten = false;
  for (const std::uint32_t d : parts_.deliveries_in(index)) {
    if (d != target_ && !parts_.visible(d, step_)) continue;
    if (d != target_) input_.deliveries.push_back(d);
    if (message.text_at_order(episode_.deliveries[d].order) == input.text) {
      standing.push_back(d);
    } else {
      input.rewritten = true;
      target_rewritten = target_rewritten || d == target_;
    }
  }
  if (target_rewritten) {
    // Where the entries stand in the new text is not recorded; the whole message is the target's.
    const std::uint64_t size = episode_.texts[input.text].size();
    if (size > 0) input.parts.push_back({{0, size}, TextHome::target, *target_});
  } else {
    input.parts = cut_at_deliveries(episode_, input.text, standing, target_, plain);
  }
  const bool from_step =
      plain == TextHome::step && std::any_of(input.parts.begin(), input.parts.end(),
                                             [](const auto& part) { return part.home != TextHome::target; });
  if (from_step) input_.steps.push_back(message.of_step);
  input_.messages.push_back(std::move(input));
}

}  // namespace

std::optional<std::uint32_t> target_delivery(const EpisodeEvidence::Parts& parts, const Span& span) {
  const std::uint32_t target = span.deliveries.front().delivery;
  if (target >= parts.episode.deliveries.size()) return std::nullopt;
  return target;
}

PriorInput prior_input(const EpisodeEvidence::Parts& parts, const Span& span) {
  return InputReader(parts, span).read();
}

bool belongs_to_task(const Message& message) {
  return message.of_step == 0 && (message.origin == Origin::task || message.origin == Origin::user);
}

std::vector<InputPart> cut_at_deliveries(const Episode& episode, TextId text,
                                         const std::vector<std::uint32_t>& deliveries,
                                         std::optional<std::uint32_t> target, TextHome plain) {
  std::optional<InputPart> target_part;
  std::vector<InputPart> others;
  for (const std::uint32_t d : deliveries) {
    const Delivery& delivery = episode.deliveries[d];
    if (episode.messages[*delivery.message].text_at_order(delivery.order) != text) continue;
    if (d == target) {
      target_part = InputPart{placed_range(episode, delivery), TextHome::target, d};
    } else {
      others.push_back({placed_range(episode, delivery), TextHome::deliveries, d});
    }
  }
  std::stable_sort(others.begin(), others.end(), begins_before);

  std::vector<InputPart> taken;
  const auto take = [&](InputPart part, std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    part.range = {begin, end};
    taken.push_back(part);
  };
  if (target_part) take(*target_part, target_part->range.begin, target_part->range.end);
  std::uint64_t at = 0;
  for (const InputPart& part : others) {
    const std::uint64_t begin = std::max(at, part.range.begin);
    at = std::max(at, part.range.end);
    if (!target_part) {
      take(part, begin, part.range.end);
    } else {
      take(part, begin, std::min(part.range.end, target_part->range.begin));
      take(part, std::max(begin, target_part->range.end), part.range.end);
    }
  }
  std::sort(taken.begin(), taken.end(), begins_before);
  return with_gaps_filled(taken, episode.texts[text].size(), plain);
}

}  // namespace memuse::evidence
