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

/// Everything about one episode that the evidence of its spans shares. Built once per episode; thread-safe to read.
class EpisodeEvidence;

/// The evidence files of one span (semantics.md §6, docs/evidence.md). The bytes depend on nothing but episode, span
/// and options. Texts are put together when they are asked for. Keeps references to its arguments. `text` may be called
/// from one thread at a time.
class EvidenceSet {
 public:
  EvidenceSet(const Episode& episode, const EpisodeSpans& spans, const Span& span, EvidenceOptions options);
  EvidenceSet(EvidenceSet&&) noexcept;
  EvidenceSet& operator=(EvidenceSet&&) = delete;
  EvidenceSet(const EvidenceSet&) = delete;
  EvidenceSet& operator=(const EvidenceSet&) = delete;
  ~EvidenceSet();

  /// All files, in the order of semantics.md §6: the files of the span first, then one per step.
  [[nodiscard]] const std::vector<EvidenceFile>& files() const;
  /// The bytes of a file; nothing for an unknown name. The view lives as long as the set.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const;
  /// The sections of `deliveries`, named `D<index>` by the delivery's index in the episode.
  [[nodiscard]] const std::vector<EvidenceSection>& delivery_sections() const;
  /// The step files that `prior_context` names as sources, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& prior_context_steps() const;

  [[nodiscard]] const Episode& episode() const;
  [[nodiscard]] const Span& span() const;
  [[nodiscard]] const EvidenceOptions& options() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// `steps/0003`: four digits, more when the episode has more than 9,999 steps.
std::string step_file(std::uint32_t step);

}  // namespace memuse::evidence
