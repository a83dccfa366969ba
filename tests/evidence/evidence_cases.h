#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence_set.h"
#include "spans/spans.h"
#include "support/episode_builder.h"

namespace memuse::test {

/// An episode with its spans and the evidence of each.
class EvidenceCase {
 public:
  explicit EvidenceCase(Episode episode_given, evidence::EvidenceOptions options = {})
      : episode_(std::make_unique<Episode>(std::move(episode_given))),
        spans_(std::make_unique<EpisodeSpans>(spans::compute_spans(*episode_))),
        shared_(std::make_shared<const evidence::EpisodeEvidence>(*episode_, *spans_, options)) {}

  [[nodiscard]] const Episode& episode() const { return *episode_; }
  [[nodiscard]] const EpisodeSpans& spans() const { return *spans_; }
  [[nodiscard]] const Span& span(std::size_t number) const { return spans_->spans.at(number - 1); }
  /// The evidence of span `number` (1-based).
  [[nodiscard]] evidence::EvidenceSet of(std::size_t number) const { return {shared_, span(number)}; }

 private:
  std::unique_ptr<Episode> episode_;
  std::unique_ptr<EpisodeSpans> spans_;
  std::shared_ptr<const evidence::EpisodeEvidence> shared_;
};

inline std::string text_of(const evidence::EvidenceSet& set, std::string_view file) {
  const auto text = set.text(file);
  INFO("file " << file);
  REQUIRE(text);
  return std::string(*text);
}

/// The recorded texts and values of a file, in order.
inline std::vector<std::string> recorded_in(const evidence::EvidenceSet& set, std::string_view file) {
  const std::string text = text_of(set, file);
  std::vector<std::string> recorded;
  for (const ByteRange& range : set.quotable(file))
    recorded.push_back(text.substr(range.begin, range.end - range.begin));
  return recorded;
}

inline std::vector<std::string> names_of_files(const evidence::EvidenceSet& set) {
  std::vector<std::string> names;
  for (const evidence::EvidenceFile& file : set.files()) names.push_back(file.name);
  return names;
}

}  // namespace memuse::test
