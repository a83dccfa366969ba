#include "judge/cited_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "judge/action_text.h"
#include "model/entries.h"
#include "model/text.h"

namespace memuse::judge {
namespace {

constexpr std::string_view kStepFiles = "steps/";

std::optional<std::uint32_t> step_of_file(std::string_view file) {
  if (file == "task") return 0;
  if (!file.starts_with(kStepFiles)) return std::nullopt;
  file.remove_prefix(kStepFiles.size());
  std::uint32_t step = 0;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), step);
  if (error != std::errc() || end != file.data() + file.size() || step == 0) return std::nullopt;
  return step;
}

bool is_task_message(const Message& message) {
  return message.of_step == 0 && (message.origin == Origin::task || message.origin == Origin::user);
}

}  // namespace

CitedPlace cited_place(const Evidence& evidence) {
  if (evidence.step) return {evidence.step, {}};
  if (const std::optional<std::uint32_t> step = step_of_file(evidence.file)) return {step, {}};
  return {std::nullopt, evidence.file};
}

std::string in_words(const CitedPlace& place) {
  if (!place.step) return "file `" + printable(shortened(place.file, 60)) + "`";
  return *place.step == 0 ? "the task" : fmt::format("step {}", *place.step);
}

std::vector<std::string> CitedTexts::step_texts(std::uint32_t number) const {
  std::vector<std::string> texts;
  if (number > episode_.step_count()) return texts;
  const Step& step = episode_.steps[number - 1];
  texts.emplace_back(step.response);
  texts.emplace_back(step.reasoning);
  for (const Action& action : step.actions) {
    texts.emplace_back(action.name);
    texts.emplace_back(action.arguments);
    for (std::string& text : action_text(action).strings) texts.push_back(std::move(text));
  }
  for (const Result& result : step.results) {
    for (const TextVersion& version : episode_.messages[result.message].versions) {
      texts.emplace_back(episode_.texts[version.text]);
    }
  }
  return texts;
}

/// Texts of the messages that V(first) shows, those of steps only `with_steps`, and the target's placed text cut out.
std::vector<std::string> CitedTexts::message_texts(bool with_steps) const {
  const std::uint32_t target = span_.deliveries.front().delivery;
  const Delivery* placed = target < episode_.deliveries.size() ? &episode_.deliveries[target] : nullptr;
  std::vector<std::string> texts;
  for (std::uint32_t m = 0; m < episode_.messages.size(); ++m) {
    const Message& message = episode_.messages[m];
    if ((message.of_step != 0 && !with_steps) || !message.visible_at(span_.first_step)) continue;
    const std::string_view text = episode_.texts[message.text_at_step(span_.first_step)];
    if (placed == nullptr || placed->message != m) {
      texts.emplace_back(text);
    } else if (placed->range) {
      texts.emplace_back(text.substr(0, std::min<std::uint64_t>(placed->range->begin, text.size())));
      texts.emplace_back(text.substr(std::min<std::uint64_t>(placed->range->end, text.size())));
    }
  }
  return texts;
}

std::vector<std::string> CitedTexts::target_texts() const {
  std::vector<std::string> texts;
  const std::uint32_t target = span_.deliveries.front().delivery;
  if (target >= episode_.deliveries.size()) return texts;
  const Delivery& delivery = episode_.deliveries[target];
  texts.emplace_back(episode_.placed_text(delivery));
  for (const Entry& entry : delivery.entries) {
    texts.emplace_back(entry.text);
    for (const std::string_view identifier : entry.identifiers) texts.emplace_back(identifier);
  }
  return texts;
}

/// Deliveries consumed up to the span's first step, the target left out; all of them, or those that V(first) shows.
std::vector<std::string> CitedTexts::delivery_texts(bool only_visible) const {
  std::vector<std::string> texts;
  for (std::uint32_t d = 0; d < episode_.deliveries.size(); ++d) {
    const Delivery& delivery = episode_.deliveries[d];
    if (d == span_.deliveries.front().delivery || delivery.consuming_step > span_.first_step) continue;
    if (!delivery.message) continue;
    if (only_visible && !episode_.messages[*delivery.message].visible_at(span_.first_step)) continue;
    texts.emplace_back(episode_.placed_text(delivery));
    for (const Entry& entry : delivery.entries) texts.emplace_back(entry.text);
  }
  return texts;
}

std::vector<std::string> CitedTexts::texts_of(const CitedPlace& place) const {
  if (place.step && *place.step > 0) return step_texts(*place.step);
  if (place.step) {
    std::vector<std::string> texts = {std::string(episode_.task_text)};
    for (const Message& message : episode_.messages) {
      if (!is_task_message(message)) continue;
      for (const TextVersion& version : message.versions) texts.emplace_back(episode_.texts[version.text]);
    }
    return texts;
  }
  if (place.file == "target") return target_texts();
  if (place.file == "prior_context") return message_texts(true);
  if (place.file == "other_messages") return message_texts(false);
  if (place.file == "deliveries") return delivery_texts(true);
  if (place.file == "earlier_copies") return delivery_texts(false);
  if (place.file == "reference" && episode_.reference) return {std::string(episode_.reference->text)};
  return {};
}

bool CitedTexts::exists(const CitedPlace& place) {
  if (place.step) return *place.step <= episode_.step_count();
  for (const std::string_view file : {"target", "prior_context", "other_messages", "earlier_copies", "deliveries"}) {
    if (place.file == file) return true;
  }
  return place.file == "reference" && episode_.reference;
}

const std::vector<std::string>& CitedTexts::folded(const CitedPlace& place) {
  const auto [known, inserted] = folded_.try_emplace(place);
  if (inserted) {
    for (const std::string& text : texts_of(place)) known->second.push_back(normalise_text(text));
  }
  return known->second;
}

bool CitedTexts::holds(const CitedPlace& place, std::string_view quote) {
  const std::string wanted = normalise_text(quote);
  const std::vector<std::string>& texts = folded(place);
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return find_text(text, wanted) != std::string_view::npos; });
}

bool CitedTexts::is_line(const CitedPlace& place, std::string_view quote) {
  const std::string wanted = normalise_text(quote);
  for (const std::string& text : texts_of(place)) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      // A line is longer than its folded form, never shorter.
      if (end >= wanted.size() && normalise_text(rest.substr(0, end)) == wanted) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return false;
}

bool CitedTexts::visible_before(const CitedPlace& place, std::string_view quote) {
  if (!place.step && place.file == "earlier_copies") return holds({std::nullopt, "deliveries"}, quote);
  if (!place.step) return place.file != "target" && place.file != "reference" && place.file != "outcome";
  if (*place.step == 0) return true;
  if (*place.step >= span_.first_step || *place.step > episode_.step_count()) return false;
  const Step& step = episode_.steps[*place.step - 1];
  const auto visible = [&](std::uint32_t message) { return episode_.messages[message].visible_at(span_.first_step); };
  return (step.response_message && visible(*step.response_message)) ||
         std::any_of(step.results.begin(), step.results.end(), [&](const Result& r) { return visible(r.message); });
}

}  // namespace memuse::judge
