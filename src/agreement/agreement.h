#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agreement/signals.h"
#include "model/labels.h"
#include "model/records.h"
#include "stats/bootstrap.h"
#include "stats/kappa.h"

// How far raters (judgement sets) agree, entry by entry. Definitions: docs/labels-and-agreement.md; the statistics are
// those of src/stats.

namespace memuse::agreement {

/// Whoever labelled entries, and what it does not assess. A signal that a rater does not assess is not compared.
struct Rater {
  std::string name;
  bool assesses_relevance = true;
  bool assesses_accuracy = true;
  bool effects_need_probe = false;  ///< its effects are compared in episodes with a probe only
};

/// A number with its bootstrap interval; no value when there is nothing to compute it from.
struct Estimated {
  std::optional<double> value;
  std::optional<stats::Interval> interval;
};

/// Two raters on one signal.
struct SignalAgreement {
  Signal signal = Signal::relevance;
  bool assessed = true;        ///< by both; nothing below is filled otherwise
  std::uint64_t n = 0;         ///< entries that both answered (with a probe, where one of them needs it)
  std::uint64_t episodes = 0;  ///< that these stand in: the units of the bootstrap
  Estimated agreement;         ///< share of equal labels
  Estimated kappa;             ///< Cohen's, `null` a category of its own
  Estimated weighted_kappa;    ///< linear weights, entries with `null` left out; for ordered signals
  Estimated alpha;             ///< Krippendorff's, nominal, `null` a category of its own
  Estimated ordinal_alpha;     ///< the same on the ordinal scale, entries with `null` left out; for ordered signals
  stats::ConfusionMatrix confusion{1};  ///< first rater down, second across, `scale(signal).categories`
};

struct PairAgreement {
  std::size_t first = 0, second = 0;                        ///< indices of raters
  std::uint64_t both = 0, only_first = 0, only_second = 0;  ///< entries answered
  std::vector<SignalAgreement> signals;                     ///< as `kSignals`
};

/// All raters together on one signal.
struct JointAgreement {
  Signal signal = Signal::relevance;
  std::size_t raters = 0;  ///< that assess it
  std::uint64_t n = 0;     ///< entries that at least two of them answered
  std::uint64_t episodes = 0;
  Estimated alpha;
  Estimated ordinal_alpha;
};

struct Agreement {
  std::vector<Rater> raters;
  std::vector<std::uint64_t> answered;  ///< entries, for each rater
  std::vector<PairAgreement> pairs;     ///< each rater with each later one
  std::vector<JointAgreement> joint;    ///< as `kSignals`; with more than two raters
};

/// The rater that a judgement set is.
Rater rater(const JudgementSetRecord& set);

/// Counts labels entry by entry. Memory grows with episodes, not with entries.
class AgreementTally {
 public:
  explicit AgreementTally(std::vector<Rater> raters);

  /// The entries that follow are of another episode. The order of the episodes decides which ones a bootstrap with a
  /// given seed draws; the order of the entries inside an episode does not matter.
  void begin_episode(bool has_probe);
  /// One entry with a window: what each rater says of it; nothing where a rater has no answer.
  void add(std::span<const std::optional<Labels>> labels);

  /// Everything computed. With 0 resamples there are values and no intervals.
  [[nodiscard]] Agreement finish(const stats::Resampling& resampling) const;

 private:
  /// Sums for each episode, a line of `columns` numbers after another.
  struct EpisodeSums {
    std::size_t columns = 0;
    std::uint64_t last_episode = 0;  ///< number of the episode that the last line is for
    std::uint64_t units = 0;
    std::vector<double> lines;

    /// The line of the episode, new lines being zero.
    std::span<double> line(std::uint64_t episode);
  };
  struct Pair {
    std::size_t first = 0, second = 0;
    std::uint64_t both = 0, only_first = 0, only_second = 0;
    std::vector<EpisodeSums> signals;
  };
  struct Joint {
    EpisodeSums nominal, ordinal;
  };

  [[nodiscard]] bool assesses(std::size_t rater, Signal signal) const;
  [[nodiscard]] bool is_compared(std::size_t rater, Signal signal) const;
  void add_to_pair(Pair& pair, const Labels& first, const Labels& second) const;
  void add_to_joint(Joint& joint, Signal signal, std::span<const std::optional<Labels>> labels) const;
  [[nodiscard]] SignalAgreement finish_signal(const Pair& pair, Signal signal,
                                              const stats::Resampling& resampling) const;
  [[nodiscard]] JointAgreement finish_joint(const Joint& joint, Signal signal,
                                            const stats::Resampling& resampling) const;

  std::vector<Rater> raters_;
  std::vector<std::uint64_t> answered_;
  std::vector<Pair> pairs_;
  std::vector<Joint> joint_;
  std::uint64_t episode_ = 0;
  bool has_probe_ = false;
};

}  // namespace memuse::agreement
