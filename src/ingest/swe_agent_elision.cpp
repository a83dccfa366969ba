#include "ingest/swe_agent_elision.h"

#include <fmt/format.h>

#include <algorithm>

namespace memuse::ingest {
namespace {

/// Length of the line end at the start of `text`, 0 if none.
std::size_t line_end_length(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  const auto byte = static_cast<unsigned char>(text.front());
  if ((byte >= 0x0A && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x1E)) return 1;
  if (text.starts_with("\xC2\x85")) return 2;
  if (text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9")) return 3;
  return 0;
}

std::vector<std::string> tags_of(const JsonValue& processor, std::string_view field, std::string_view usual) {
  const JsonValue* list = processor.field(field);
  if (list == nullptr || list->kind != JsonKind::array) return {std::string(usual)};
  std::vector<std::string> tags;
  for (const JsonValue& tag : JsonChildren(*list)) tags.emplace_back(tag.as_string().value_or(std::string_view{}));
  return tags;
}

bool any_of(const std::vector<std::string_view>& tags, const std::vector<std::string>& wanted) {
  return std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) {
    return std::find(wanted.begin(), wanted.end(), tag) != wanted.end();
  });
}

}  // namespace

std::size_t python_line_count(std::string_view text) {
  std::size_t lines = 0;
  bool open = false;
  while (!text.empty()) {
    const std::size_t end = line_end_length(text);
    if (end > 0) ++lines;
    open = end == 0;
    text.remove_prefix(std::max<std::size_t>(end, 1));
  }
  return lines + (open ? 1 : 0);
}

SweElision::SweElision(const JsonValue& processor)
    : active_(true),
      keep_tags_(tags_of(processor, "always_keep_output_for_tags", "keep_output")),
      remove_tags_(tags_of(processor, "always_remove_output_for_tags", "remove_output")) {
  const JsonValue* last = processor.field("n");
  const JsonValue* polling = processor.field("polling");
  last_ = static_cast<std::size_t>(last == nullptr ? 0 : last->as_unsigned().value_or(0));
  polling_ =
      static_cast<std::size_t>(polling == nullptr ? 1 : std::max<std::uint64_t>(polling->as_unsigned().value_or(1), 1));
}

void SweElision::hide(std::uint32_t message, EpisodeRecorder& recorder) {
  const std::size_t lines = python_line_count(recorder.message_text(message));
  recorder.tick();
  recorder.rewrite_message(message, recorder.keep(fmt::format("Old environment output: ({} lines omitted)", lines)));
}

void SweElision::take(const SweMessage& message, std::uint32_t number, EpisodeRecorder& recorder) {
  if (!active_) return;
  if (any_of(message.tags, remove_tags_)) {
    hide(number, recorder);
    if (message.observation) observations_.push_back({number, true});
    return;
  }
  if (message.observation) observations_.push_back({number, any_of(message.tags, keep_tags_)});
}

void SweElision::before_call(EpisodeRecorder& recorder) {
  if (!active_) return;
  const std::size_t counted = observations_.size() / polling_ * polling_;
  const std::size_t end = counted > last_ ? counted - last_ : 0;
  for (; hidden_ < end; ++hidden_) {
    if (!observations_[hidden_].keep) hide(observations_[hidden_].message, recorder);
  }
}

}  // namespace memuse::ingest
