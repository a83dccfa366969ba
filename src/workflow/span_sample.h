#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/records.h"
#include "store/database.h"

// Samples of the spans to judge (docs/labels-and-agreement.md, "Samples").

namespace memuse::workflow {

/// The spans that a sample is drawn from, grouped into strata. Costs 8 bytes a span and one id an episode.
class SampleFrame {
 public:
  struct Candidate {
    std::uint32_t episode = 0;  ///< index for `uid`
    std::uint32_t span = 0;
  };
  /// By name; the order of the candidates of a stratum is that in which they were added.
  using Strata = std::map<std::string, std::vector<Candidate>>;

  /// Adds a span with routing `judged`. The spans of an episode come one after another.
  void add(std::string_view uid, std::uint32_t span, std::string_view configuration, std::string_view run,
           std::string_view form);

  /// Number of spans.
  [[nodiscard]] std::uint64_t population() const { return population_; }
  [[nodiscard]] const Strata& strata() const { return strata_; }
  [[nodiscard]] const std::string& uid(const Candidate& candidate) const { return uids_[candidate.episode]; }

 private:
  std::vector<std::string> uids_;
  Strata strata_;
  std::uint64_t population_ = 0;
};

/// Name of a stratum: configuration, run and form of the target delivery as a JSON array, so that no two strata share
/// one: `["cards","r1","full card"]`.
std::string stratum_name(std::string_view configuration, std::string_view run, std::string_view form);

/// A drawn sample.
struct SpanSample {
  JudgementSetRecord::Sample facts;  ///< `size` as asked for, also when there are fewer spans
  std::vector<SampledSpan> spans;    ///< by episode uid and span
  /// Strata without a draw, because the sample is smaller than the number of strata, and how many spans they hold.
  /// Weights add up to the population less `spans_left_out`.
  std::uint64_t strata_left_out = 0;
  std::uint64_t spans_left_out = 0;
};

/// Draws `size` spans (all when there are fewer), stratified by configuration, run and delivery form.
///
/// Allocation is proportional to the strata's numbers of spans by largest remainder, and every stratum gets at least
/// one: strata whose share is below one get one, the others divide the rest. With fewer draws than strata the largest
/// strata get one each. Ties go to the stratum whose name comes first. Which spans of a stratum are drawn depends on
/// the seed, the stratum's name and its spans alone, whatever the order they were added in; a larger draw from the same
/// stratum contains a smaller one. The weight of a span is its stratum's number of spans over the number drawn from it.
SpanSample draw_sample(const SampleFrame& frame, std::uint64_t size, std::uint64_t seed);

/// All spans that a judge has to answer for, in one pass (retained attempts, as tables count them).
SampleFrame sample_frame(const store::Database& database);

/// A sentence that says which strata a sample does not represent; empty when it represents all.
std::string sample_note(const SpanSample& sample);

}  // namespace memuse::workflow
