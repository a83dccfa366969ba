#include "evidence/step_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "evidence/action_arguments.h"
#include "model/text.h"

// Step files are the same for every span of the episode. What is new in a step's input is shown once: memory in the
// file of the step that first saw it (a restatement is only named), memory that a tool brought in that tool's result,
// words of task and users in the file `task`. So whatever the agent could see at any step stands in some file.

namespace memuse::evidence {
namespace {

constexpr std::size_t kNameBytes = 200;

/// What each step's input has that the one before had not.
struct NewInput {
  std::vector<std::vector<std::uint32_t>> messages, deliveries;  // by step, step k at k-1
};

NewInput new_input(const EpisodeEvidence::Parts& parts) {
  const Episode& episode = parts.episode;
  NewInput news;
  news.messages.resize(episode.steps.size());
  news.deliveries.resize(episode.steps.size());
  for (std::uint32_t m = 0; m < episode.messages.size(); ++m) {
    const Message& message = episode.messages[m];
    const bool is_input = message.of_step == 0 && message.visible_at(message.first_step);
    // A message that carries memory is named by its deliveries.
    if (is_input && message.first_step <= episode.step_count() && parts.deliveries_in(m).empty()) {
      news.messages[message.first_step - 1].push_back(m);
    }
  }
  for (std::uint32_t d = 0; d < episode.deliveries.size(); ++d) {
    if (!parts.visibility.consumed(d)) continue;
    news.deliveries[episode.deliveries[d].consuming_step - 1].push_back(d);
  }
  return news;
}

class StepWriter {
 public:
  StepWriter(const EpisodeEvidence::Parts& parts, const NewInput& news, std::uint32_t number)
      : parts_(parts),
        episode_(parts.episode),
        news_(news),
        number_(number),
        step_(parts.episode.steps[number - 1]),
        out_(step_file(number)) {}

  BuiltFile write() {
    write_new_input();
    write_response();
    for (std::size_t a = 0; a < step_.actions.size(); ++a) write_action(a);
    if (step_.actions.empty()) out_.line("No action was recorded.");
    for (std::size_t r = 0; r < step_.results.size(); ++r) write_result(r);
    if (step_.results.empty()) out_.line("No result was recorded.");
    const std::string what = fmt::format("step {} of {} of episode {}: response, actions and results.", number_,
                                         episode_.step_count(), json_string(shortened(episode_.id, kNameBytes)));
    const std::string summary =
        fmt::format("step {}: response ({}), {} action{}, {} result{}", number_, in_bytes(step_.response.size()),
                    step_.actions.size(), step_.actions.size() == 1 ? "" : "s", step_.results.size(),
                    step_.results.size() == 1 ? "" : "s");
    return std::move(out_).finish(what, parts_.identity, summary);
  }

 private:
  void write_new_input();
  void write_new_delivery(std::uint32_t d);
  void write_new_message(std::uint32_t m);
  void write_response();
  void write_action(std::size_t index);
  void write_result(std::size_t index);

  const EpisodeEvidence::Parts& parts_;
  const Episode& episode_;
  const NewInput& news_;
  std::uint32_t number_;
  const Step& step_;
  FileWriter out_;
};

void StepWriter::write_new_input() {
  for (const std::uint32_t d : news_.deliveries[number_ - 1]) write_new_delivery(d);
  for (const std::uint32_t m : news_.messages[number_ - 1]) write_new_message(m);
}

void StepWriter::write_new_delivery(std::uint32_t d) {
  const Delivery& delivery = episode_.deliveries[d];
  const std::uint32_t span = parts_.span_of[d];
  const std::uint32_t target = span == 0 ? d : parts_.spans.spans[span - 1].deliveries.front().delivery;
  out_.line(fmt::format("New in the input: delivery {} {}, form {}, of {}{}.", delivery_name(d),
                        route_in_words(delivery.route), json_string(shortened(delivery.form, kNameBytes)),
                        items_in_words(episode_, delivery),
                        target == d ? "" : fmt::format("; the same as {}", delivery_name(target))));
  const bool in_a_result = delivery.message && episode_.messages[*delivery.message].of_step != 0;
  if (target != d || in_a_result || !delivery.message) return;
  out_.text(episode_.placed_text(delivery));
}

void StepWriter::write_new_message(std::uint32_t m) {
  const Message& message = episode_.messages[m];
  const std::string_view text = episode_.texts[message.text_at_step(number_)];
  out_.line(fmt::format("New in the input: message {} ({}, {}), {}{}.", message_name(m), name(message.role),
                        name(message.origin), in_bytes(text.size()), message.transient ? ", for this step only" : ""));
  const bool in_task_file = message.origin == Origin::task || message.origin == Origin::user;
  // What the first step saw and every later one still does (a system prompt) stands in `other_messages` of every span.
  const bool always_seen = number_ == 1 && message.end_step == kNever && message.versions.size() == 1;
  if (!in_task_file && !always_seen) out_.text(text);
}

void StepWriter::write_response() {
  RecordedPart part;
  if (step_.response_message) part.message = *step_.response_message;
  out_.line("Response:");
  out_.text(step_.response, part);
  if (step_.reasoning.empty()) return;
  out_.line("Reasoning:");
  out_.text(step_.reasoning, part);
}

void StepWriter::write_action(std::size_t index) {
  const Action& action = step_.actions[index];
  RecordedPart part;
  if (step_.response_message) part.message = *step_.response_message;
  out_.line(fmt::format("Action {} of {}:", index + 1, step_.actions.size()));
  out_.value("  name", action.name);
  if (!action.id.empty()) out_.value("  id", action.id);
  if (action.arguments.empty() || action.arguments == "null") return out_.line("  no arguments");
  const std::optional<std::vector<Argument>> arguments = action_arguments(action.arguments);
  if (!arguments) {
    out_.line("  arguments as recorded:");
    return out_.text(action.arguments, part);
  }
  for (const Argument& argument : *arguments) {
    const std::string label = argument.path.empty() ? "  argument" : "  argument " + json_string(argument.path);
    if (argument.is_text) {
      out_.line(label + ", text:");
      out_.text(argument.value, part);
    } else {
      out_.statement(label + ": ", argument.value);
    }
  }
}

void StepWriter::write_result(std::size_t index) {
  const Result& result = step_.results[index];
  const Message& message = episode_.messages[result.message];
  std::string heading = fmt::format("Result {} of {}", index + 1, step_.results.size());
  if (!result.action.empty()) {
    heading += fmt::format(", of the action with id {}", json_string(shortened(result.action, kNameBytes)));
  }
  out_.line(heading + ":");
  for (const std::uint32_t d : parts_.deliveries_in(result.message)) {
    const Delivery& delivery = episode_.deliveries[d];
    if (message.text_at_order(delivery.order) != recorded_text(message)) continue;
    const ByteRange range = placed_range(episode_, delivery);
    out_.line(fmt::format("  bytes {}-{} of it are memory: delivery {}, {}, form {}, of {}", range.begin, range.end,
                          delivery_name(d), route_in_words(delivery.route),
                          json_string(shortened(delivery.form, kNameBytes)), items_in_words(episode_, delivery)));
  }
  if (message.versions.size() > 1) {
    out_.line(
        fmt::format("  from step {} on the input shows another text in its place", message.versions[1].from_step));
  }
  RecordedPart part;
  part.message = result.message;
  out_.text(episode_.texts[recorded_text(message)], part);
}

}  // namespace

std::vector<BuiltFile> step_files(const EpisodeEvidence::Parts& parts) {
  const NewInput news = new_input(parts);
  std::vector<BuiltFile> files;
  files.reserve(parts.episode.steps.size());
  for (std::uint32_t number = 1; number <= parts.episode.step_count(); ++number) {
    files.push_back(StepWriter(parts, news, number).write());
  }
  return files;
}

}  // namespace memuse::evidence
