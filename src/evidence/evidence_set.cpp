#include "evidence/evidence_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "evidence/episode_parts.h"
#include "evidence/span_files.h"

namespace memuse::evidence {

struct EvidenceSet::Parts {
  Parts(std::shared_ptr<const EpisodeEvidence> episode_given, const Span& span_given)
      : shared(std::move(episode_given)), span(shared->parts(), span_given), own(span_files(span)) {
    for (const BuiltFile& file : own) files.push_back({file.name, file.text.size(), file.summary});
    for (const BuiltFile& file : shared->parts().steps) files.push_back({file.name, file.text.size(), file.summary});
  }

  [[nodiscard]] const BuiltFile* find(std::string_view name) const;

  std::shared_ptr<const EpisodeEvidence> shared;
  SpanParts span;
  std::vector<BuiltFile> own;
  std::vector<EvidenceFile> files;
};

const BuiltFile* EvidenceSet::Parts::find(std::string_view name) const {
  const auto named = [&](const BuiltFile& file) { return file.name == name; };
  if (const auto found = std::find_if(own.begin(), own.end(), named); found != own.end()) return &*found;
  const std::optional<std::uint32_t> step = step_of_file(name);
  return step && *step <= shared->parts().steps.size() ? &shared->parts().steps[*step - 1] : nullptr;
}

EvidenceSet::EvidenceSet(std::shared_ptr<const EpisodeEvidence> episode, const Span& span)
    : parts_(std::make_unique<const Parts>(std::move(episode), span)) {}
EvidenceSet::EvidenceSet(const Episode& episode, const EpisodeSpans& spans, const Span& span, EvidenceOptions options)
    : EvidenceSet(std::make_shared<const EpisodeEvidence>(episode, spans, options), span) {}
EvidenceSet::EvidenceSet(EvidenceSet&&) noexcept = default;
EvidenceSet::~EvidenceSet() = default;

const std::vector<EvidenceFile>& EvidenceSet::files() const {
  return parts_->files;
}

std::optional<std::string_view> EvidenceSet::text(std::string_view name) const {
  const BuiltFile* file = parts_->find(name);
  return file == nullptr ? std::nullopt : std::optional<std::string_view>(file->text);
}

const std::vector<EvidenceSection>& EvidenceSet::sections(std::string_view name) const {
  static const std::vector<EvidenceSection> none;
  const BuiltFile* file = parts_->find(name);
  return file == nullptr ? none : file->sections;
}

const std::vector<EvidenceSection>& EvidenceSet::delivery_sections() const {
  return sections("deliveries");
}

const std::vector<std::uint32_t>& EvidenceSet::prior_context_steps() const {
  return parts_->span.input.steps;
}

std::vector<ByteRange> EvidenceSet::quotable(std::string_view name) const {
  std::vector<ByteRange> ranges;
  if (const BuiltFile* file = parts_->find(name); file != nullptr) {
    for (const RecordedPart& part : file->recorded) ranges.push_back(part.range);
  }
  return ranges;
}

std::vector<ByteRange> EvidenceSet::visible_before(std::string_view name) const {
  std::vector<ByteRange> ranges;
  const BuiltFile* file = parts_->find(name);
  if (file == nullptr) return ranges;
  for (const RecordedPart& part : file->recorded) {
    if (part.visible_before) ranges.push_back(part.range);
    if (part.message != kNever) add_step_text_before(parts_->span, part, ranges);
  }
  return ranges;
}

const Episode& EvidenceSet::episode() const {
  return parts_->span.episode;
}

const Span& EvidenceSet::span() const {
  return parts_->span.span;
}

const EvidenceOptions& EvidenceSet::options() const {
  return parts_->span.parts.options;
}

std::string step_file(std::uint32_t step) {
  return fmt::format("steps/{:04}", step);
}

std::optional<std::uint32_t> step_of_file(std::string_view name) {
  constexpr std::string_view kFolder = "steps/";
  if (!name.starts_with(kFolder)) return std::nullopt;
  std::uint32_t step = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kFolder.size(), end, step);
  if (error != std::errc() || stop != end || step == 0 || step_file(step) != name) return std::nullopt;
  return step;
}

}  // namespace memuse::evidence
