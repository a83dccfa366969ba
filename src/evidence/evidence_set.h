#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "model/span.h"

namespace memuse::evidence {

/// What the evidence of a judgement holds beside what semantics.md §6 always asks for. Stored with the judgement set.
struct EvidenceOptions {
  bool reference = false;  ///< show the reference solution, where the trace has one
  bool outcome = false;    ///< show the recorded outcome
};

/// One evidence file.
struct EvidenceFile {
  std::string name;  ///< `task`, `target`, `prior_context`, …, `steps/0003`
  std::uint64_t bytes = 0;
  std::string summary;  ///< one line for the index: what it holds
};

/// A part of an evidence file that a read requirement can ask for by itself.
struct EvidenceSection {
  std::string name;  ///< unique in its file, e.g. the number of a delivery
  ByteRange range;   ///< bytes of the file
};

/// What the evidence of all spans of one episode shares: its step files, and where its memory copies can be seen. Built
/// once per episode, in time and memory linear in the episode's bytes, and immutable from then on: sets of several
/// spans may be made and used at the same time in several threads.
class EpisodeEvidence {
 public:
  /// Keeps references to `episode` and `spans`, which must outlive it and every set made from it.
  EpisodeEvidence(const Episode& episode, const EpisodeSpans& spans, EvidenceOptions options = {});
  EpisodeEvidence(const EpisodeEvidence&) = delete;
  EpisodeEvidence& operator=(const EpisodeEvidence&) = delete;
  ~EpisodeEvidence();

  struct Parts;
  /// For this module: what the files of a span are made from.
  [[nodiscard]] const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const Parts> parts_;
};

/// The evidence files of one span (semantics.md §6, docs/evidence.md). The bytes depend on nothing but episode, span
/// and options. Immutable: safe to read from several threads. `span` is kept by reference.
class EvidenceSet {
 public:
  EvidenceSet(std::shared_ptr<const EpisodeEvidence> episode, const Span& span);
  /// For a single span: makes the shared part too.
  EvidenceSet(const Episode& episode, const EpisodeSpans& spans, const Span& span, EvidenceOptions options);
  EvidenceSet(EvidenceSet&&) noexcept;
  EvidenceSet& operator=(EvidenceSet&&) = delete;
  EvidenceSet(const EvidenceSet&) = delete;
  EvidenceSet& operator=(const EvidenceSet&) = delete;
  ~EvidenceSet();

  /// All files: those of the span in the order of semantics.md §6, `reference` and `outcome` when they are shown, then
  /// one per step.
  [[nodiscard]] const std::vector<EvidenceFile>& files() const;
  /// The bytes of a file, valid UTF-8; nothing for an unknown name. The view lives as long as the set.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const;
  /// The sections of a file, ascending; none for most.
  [[nodiscard]] const std::vector<EvidenceSection>& sections(std::string_view name) const;
  /// The sections of `deliveries`, named `D<index>` by the delivery's index in the episode.
  [[nodiscard]] const std::vector<EvidenceSection>& delivery_sections() const;
  /// The step files that `prior_context` names as sources, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& prior_context_steps() const;
  /// The parts of a file that can be quoted: recorded texts and values, not the lines around them. Ascending, disjoint;
  /// empty for an unknown name.
  [[nodiscard]] std::vector<ByteRange> quotable(std::string_view name) const;
  /// Those of them that were before the agent when the target delivery was consumed, its own text left out.
  [[nodiscard]] std::vector<ByteRange> visible_before(std::string_view name) const;

  [[nodiscard]] const Episode& episode() const;
  [[nodiscard]] const Span& span() const;
  [[nodiscard]] const EvidenceOptions& options() const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// `steps/0003`: four digits, more when the episode has more than 9,999 steps.
std::string step_file(std::uint32_t step);
/// The step of a step file, by its exact name; nothing for other names.
std::optional<std::uint32_t> step_of_file(std::string_view name);

}  // namespace memuse::evidence
