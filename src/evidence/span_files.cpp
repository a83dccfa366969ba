#include "evidence/span_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"

// The smaller files of a span, and what its files share. `prior_context` has a file of its own, and so have the files
// about deliveries.

namespace memuse::evidence {
namespace {

constexpr std::size_t kNameBytes = 200;

/// A message of the task or of a user, one text after the other.
class TaskWriter {
 public:
  explicit TaskWriter(const SpanParts& span) : span_(span), episode_(span.episode), out_("task") {}

  BuiltFile write() {
    out_.line("Task text:");
    if (episode_.task_text.empty()) {
      out_.line("(the trace states none)");
    } else {
      out_.text(episode_.task_text, before(true));
    }
    std::size_t updates = 0;
    for (std::uint32_t m = 0; m < episode_.messages.size(); ++m) {
      if (!belongs_to_task(episode_.messages[m])) continue;
      write_message(m);
      ++updates;
    }
    if (updates == 0) out_.line("No message of the task or of a user was recorded.");
    return std::move(out_).finish(
        fmt::format("the task of {}, with all that users said.", span_.of_span), span_.identity,
        fmt::format("the task, and {} message{} of task or users", updates, updates == 1 ? "" : "s"));
  }

 private:
  static RecordedPart before(bool visible) {
    RecordedPart part;
    part.visible_before = visible;
    return part;
  }
  void write_message(std::uint32_t index);
  void write_version(std::uint32_t index, std::size_t version, std::uint32_t first, std::uint32_t end);

  const SpanParts& span_;
  const Episode& episode_;
  FileWriter out_;
};

void TaskWriter::write_message(std::uint32_t index) {
  const Message& message = episode_.messages[index];
  out_.line(fmt::format("Message {} ({}, {}):", message_name(index), name(message.role), name(message.origin)));
  for (std::size_t v = 0; v < message.versions.size(); ++v) {
    const std::uint32_t first = std::max(message.first_step, v == 0 ? 0 : message.versions[v].from_step);
    const std::uint32_t next = v + 1 < message.versions.size() ? message.versions[v + 1].from_step : kNever;
    const std::uint32_t end = std::min({message.end_step, next, episode_.step_count() + 1});
    if (first < end) write_version(index, v, first, end);
  }
}

void TaskWriter::write_version(std::uint32_t index, std::size_t version, std::uint32_t first, std::uint32_t end) {
  const TextId text = episode_.messages[index].versions[version].text;
  const std::uint32_t now = span_.span.first_step;
  const bool in_input = first <= now && now < end;
  const std::string_view bytes = episode_.texts[text];
  std::vector<InputPart> parts;
  if (in_input) {
    const auto& messages = span_.input.messages;
    const auto found = std::lower_bound(messages.begin(), messages.end(), index,
                                        [](const InputMessage& m, std::uint32_t wanted) { return m.message < wanted; });
    parts = found->parts;
  } else {
    parts = cut_at_deliveries(episode_, text, span_.parts.deliveries_in(index), span_.target, TextHome::task);
  }
  out_.line(fmt::format("  in the input of steps {} to {}, {}{}:", first, end - 1, in_bytes(bytes.size()),
                        version > 0 ? ", rewritten" : ""));
  if (bytes == episode_.task_text && parts.size() == 1 && parts.front().home == TextHome::task) {
    return out_.line("  the task text above, to the letter");
  }
  for (const InputPart& part : parts) {
    const ByteRange range = part.range;
    if (part.home == TextHome::target) {
      out_.line(fmt::format("  [bytes {}-{}: the delivered text of this span stands here: file target]", range.begin,
                            range.end));
    } else if (part.home == TextHome::deliveries) {
      out_.line(fmt::format("  [bytes {}-{}: memory stands here: delivery {}]", range.begin, range.end,
                            delivery_name(part.delivery)));
    } else {
      out_.text(bytes.substr(range.begin, range.end - range.begin), before(in_input));
    }
  }
}

}  // namespace

SpanParts::SpanParts(const EpisodeEvidence::Parts& parts_given, const Span& span_given)
    : parts(parts_given),
      episode(parts_given.episode),
      span(span_given),
      target(target_delivery(parts_given, span_given)),
      input(prior_input(parts_given, span_given)),
      identity(fmt::format("{}\nS{}", parts_given.identity, span_given.number)),
      of_span(fmt::format("span S{} of episode {}, first in the input of step {} of {}", span_given.number,
                          json_string(shortened(episode.id, kNameBytes)), span_given.first_step,
                          episode.step_count())) {}

bool SpanParts::earlier(std::uint32_t delivery) const {
  const std::uint32_t number = parts.span_of[delivery];
  return number != 0 && number < span.number;
}

bool was_visible(const SpanParts& span, ExposurePlace place) {
  const std::uint32_t step = span.span.first_step;
  return span.parts.shows(place, step) || (step > 1 && span.parts.shows(place, step - 1));
}

bool contains(std::string_view text, std::string_view part) {
  return find_text(text, part) != std::string_view::npos;
}

void add_step_text_before(const SpanParts& span, const RecordedPart& part, std::vector<ByteRange>& ranges) {
  const Message& message = span.episode.messages[part.message];
  const std::uint32_t step = span.span.first_step;
  if (!message.visible_at(step) || message.text_at_step(step) != recorded_text(message)) return;
  if (message.role != Role::tool) return ranges.push_back(part.range);
  const std::string_view text = span.episode.texts[recorded_text(message)];
  // Replaced bytes make a text longer than it was recorded.
  const auto shown = [&](std::uint64_t place) {
    if (part.replaced == 0) return part.range.begin + place;
    std::uint64_t replaced = 0;
    return part.range.begin + valid_utf8(text.substr(0, place), replaced).size();
  };
  std::vector<ByteRange> cut;
  for (const std::uint32_t d : span.parts.deliveries_in(part.message)) {
    const Delivery& delivery = span.episode.deliveries[d];
    if (delivery.consuming_step > step || span.earlier(d)) continue;
    if (message.text_at_order(delivery.order) == recorded_text(message))
      cut.push_back(placed_range(span.episode, delivery));
  }
  std::sort(cut.begin(), cut.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  cut.push_back({text.size(), text.size()});
  std::uint64_t at = 0;
  for (const ByteRange& gone : cut) {
    if (at < gone.begin) ranges.push_back({shown(at), shown(gone.begin)});
    at = std::max(at, gone.end);
  }
}

BuiltFile task_file(const SpanParts& span) {
  return TaskWriter(span).write();
}

bool has_other_messages(const SpanParts& span) {
  return std::any_of(span.input.messages.begin(), span.input.messages.end(), [](const InputMessage& message) {
    return std::any_of(message.parts.begin(), message.parts.end(),
                       [](const InputPart& part) { return part.home == TextHome::other_messages; });
  });
}

BuiltFile other_messages_file(const SpanParts& span) {
  FileWriter out("other_messages");
  std::size_t messages = 0;
  for (const InputMessage& input : span.input.messages) {
    const Message& message = span.episode.messages[input.message];
    const std::string_view text = span.episode.texts[input.text];
    bool begun = false;
    for (const InputPart& part : input.parts) {
      if (part.home != TextHome::other_messages) continue;
      if (!begun) {
        out.begin_section(message_name(input.message));
        out.line(fmt::format("Message {} ({}, {}), in the input from step {} on:", message_name(input.message),
                             name(message.role), name(message.origin), message.first_step));
        ++messages;
        begun = true;
      }
      out.line(fmt::format("  bytes {}-{} of {}:", part.range.begin, part.range.end, text.size()));
      RecordedPart recorded;
      recorded.visible_before = true;
      out.text(text.substr(part.range.begin, part.range.end - part.range.begin), recorded);
    }
  }
  return std::move(out).finish(
      fmt::format("text in the input of step {} that is no step's, no user's and no memory; for {}.",
                  span.span.first_step, span.of_span),
      span.identity,
      fmt::format("text of {} message{}: system prompt and the like", messages, messages == 1 ? "" : "s"));
}

BuiltFile reference_file(const SpanParts& span) {
  FileWriter out("reference");
  out.value("kind", span.episode.reference->kind);
  out.line("Reference solution:");
  out.text(span.episode.reference->text);
  return std::move(out).finish(
      fmt::format(
          "the reference solution of the task; the agent did not see it. For {}. It may corroborate claims only.",
          span.of_span),
      span.identity, "reference solution; may corroborate claims only");
}

BuiltFile outcome_file(const SpanParts& span) {
  const Outcome& outcome = *span.episode.outcome;
  FileWriter out("outcome");
  out.statement("", fmt::format("resolved: {}", !outcome.resolved ? "unknown" : *outcome.resolved ? "true" : "false"));
  if (outcome.reward) out.statement("", fmt::format("reward: {}", *outcome.reward));
  if (!outcome.source.empty()) out.value("source", outcome.source);
  return std::move(out).finish(
      fmt::format("the recorded result of the episode. For {}. It may corroborate claims only.", span.of_span),
      span.identity, "recorded result; may corroborate claims only");
}

std::vector<BuiltFile> span_files(const SpanParts& span) {
  std::vector<BuiltFile> files;
  files.push_back(task_file(span));
  files.push_back(target_file(span));
  files.push_back(prior_context_file(span));
  if (has_other_messages(span)) files.push_back(other_messages_file(span));
  files.push_back(earlier_copies_file(span));
  files.push_back(deliveries_file(span));
  if (span.parts.options.reference && span.episode.reference) files.push_back(reference_file(span));
  if (span.parts.options.outcome && span.episode.outcome) files.push_back(outcome_file(span));
  return files;
}

}  // namespace memuse::evidence
