#include <fmt/format.h>

#include <algorithm>

#include "evidence/span_files.h"

// The visible input as an ordered list that says of every message where its text stands. Whole steps that follow one
// another take one line, so that the list of a long episode stays short.

namespace memuse::evidence {
namespace {

class PriorContextWriter {
 public:
  explicit PriorContextWriter(const SpanParts& span)
      : span_(span), episode_(span.episode), messages_(span.input.messages), out_("prior_context") {}

  BuiltFile write() {
    out_.line(fmt::format("How the input is known: {}.", name(episode_.visibility)));
    if (messages_.empty()) out_.line("The input is empty.");
    for (std::size_t i = 0; i < messages_.size();) {
      const std::size_t end = end_of_whole_steps(i);
      if (end > i) {
        write_whole_steps(i, end);
        i = end;
      } else {
        write_message(i++);
      }
    }
    return std::move(out_).finish(
        fmt::format(
            "the input of step {}, in its order, with the text of the target cut out; for {}. Text that another "
            "evidence file holds is named, not repeated.",
            span_.span.first_step, span_.of_span),
        span_.identity,
        fmt::format("the ordered input of step {}: {} message{}", span_.span.first_step, messages_.size(),
                    messages_.size() == 1 ? "" : "s"));
  }

 private:
  [[nodiscard]] std::size_t end_of_whole_step(std::size_t begin) const;
  [[nodiscard]] std::size_t end_of_whole_steps(std::size_t begin) const;
  void write_whole_steps(std::size_t begin, std::size_t end);
  void write_message(std::size_t index);
  void write_part(const InputMessage& input, const InputPart& part);
  [[nodiscard]] std::string in_words(const Message& message, std::uint32_t index) const;

  const SpanParts& span_;
  const Episode& episode_;
  const std::vector<InputMessage>& messages_;
  FileWriter out_;
};

/// One past the messages of a step that stand there complete, in order, unchanged and without memory; `begin` if not.
std::size_t PriorContextWriter::end_of_whole_step(std::size_t begin) const {
  const std::uint32_t number = episode_.messages[messages_[begin].message].of_step;
  if (number == 0) return begin;
  const Step& step = episode_.steps[number - 1];
  std::vector<std::uint32_t> expected;
  if (step.response_message) expected.push_back(*step.response_message);
  for (const Result& result : step.results) expected.push_back(result.message);
  if (begin + expected.size() > messages_.size()) return begin;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const InputMessage& input = messages_[begin + i];
    const bool plain = std::all_of(input.parts.begin(), input.parts.end(),
                                   [](const InputPart& part) { return part.home == TextHome::step; });
    if (input.message != expected[i] || input.rewritten || !plain) return begin;
  }
  return begin + expected.size();
}

std::size_t PriorContextWriter::end_of_whole_steps(std::size_t begin) const {
  std::size_t end = end_of_whole_step(begin);
  while (end > begin && end < messages_.size()) {
    const std::uint32_t before = episode_.messages[messages_[end - 1].message].of_step;
    const std::size_t next = end_of_whole_step(end);
    if (next == end || episode_.messages[messages_[end].message].of_step != before + 1) break;
    end = next;
  }
  return end;
}

void PriorContextWriter::write_whole_steps(std::size_t begin, std::size_t end) {
  const std::uint32_t first = episode_.messages[messages_[begin].message].of_step;
  const std::uint32_t last = episode_.messages[messages_[end - 1].message].of_step;
  const std::string numbers = end - begin == 1 ? std::to_string(end) : fmt::format("{}-{}", begin + 1, end);
  if (first == last) {
    out_.line(fmt::format("{}. step {}, response and results: file {}", numbers, first, step_file(first)));
  } else {
    out_.line(fmt::format("{}. steps {} to {}, responses and results: files {} to {}", numbers, first, last,
                          step_file(first), step_file(last)));
  }
}

std::string PriorContextWriter::in_words(const Message& message, std::uint32_t index) const {
  if (message.of_step == 0)
    return fmt::format("message {} ({}, {})", message_name(index), name(message.role), name(message.origin));
  const Step& step = episode_.steps[message.of_step - 1];
  if (step.response_message == index) return fmt::format("response of step {}", message.of_step);
  const auto result = std::find_if(step.results.begin(), step.results.end(),
                                   [&](const Result& candidate) { return candidate.message == index; });
  return fmt::format("result {} of step {}", result - step.results.begin() + 1, message.of_step);
}

void PriorContextWriter::write_message(std::size_t index) {
  const InputMessage& input = messages_[index];
  const Message& message = episode_.messages[input.message];
  out_.line(fmt::format("{}. {}, {}{}{}", index + 1, in_words(message, input.message),
                        in_bytes(episode_.texts[input.text].size()),
                        input.rewritten ? ", rewritten since it was first seen" : "", input.parts.empty() ? "" : ":"));
  for (const InputPart& part : input.parts) write_part(input, part);
}

void PriorContextWriter::write_part(const InputMessage& input, const InputPart& part) {
  const Message& message = episode_.messages[input.message];
  const std::string bytes = fmt::format("   bytes {}-{}: ", part.range.begin, part.range.end);
  const bool in_step = message.of_step != 0 && input.text == recorded_text(message);
  switch (part.home) {
    case TextHome::target:
      return out_.line(bytes + "[the delivered text of this span stands here] file target");
    case TextHome::deliveries:
      return out_.line(bytes + fmt::format("memory: file deliveries, section {}", delivery_name(part.delivery)) +
                       (in_step ? ", and file " + step_file(message.of_step) : ""));
    case TextHome::task:
      return out_.line(bytes + fmt::format("file task, message {}", message_name(input.message)));
    case TextHome::step:
      return out_.line(bytes + "file " + step_file(message.of_step));
    case TextHome::other_messages:
      return out_.line(bytes + fmt::format("file other_messages, section {}", message_name(input.message)));
    case TextHome::prior_context:
      out_.line(bytes + "as the input showed it:");
      RecordedPart recorded;
      recorded.visible_before = true;
      return out_.text(episode_.texts[input.text].substr(part.range.begin, part.range.end - part.range.begin),
                       recorded);
  }
}

}  // namespace

BuiltFile prior_context_file(const SpanParts& span) {
  return PriorContextWriter(span).write();
}

}  // namespace memuse::evidence
