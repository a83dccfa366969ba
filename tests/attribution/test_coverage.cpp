// How often the 95 % intervals of attribution hold the true value, over simulated studies whose truth is planted: two
// configurations, two runs, 500 tasks. What makes tasks alike or different is drawn anew in every study. Only in
// optimised builds: elsewhere a thousand studies take minutes, and a few tell nothing.

#ifdef NDEBUG

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "attribution/collector.h"
#include "attribution/pairing.h"
#include "attribution/ratio.h"
#include "stats/random.h"
#include "support/synthetic_plan.h"

using namespace memuse;
using attribution::EpisodeFacts;
using attribution::Episodes;
using attribution::Ratio;
using attribution::StudyFacts;
using rules::Measure;
using stats::RandomStream;

namespace {

constexpr std::uint32_t kRuns = 2;
constexpr std::uint32_t kTasks = 500;
constexpr double kTrueDifference = 0.05;
constexpr double kMeanSpans = 1.5;    // 0, 1, 2 or 3 a memory episode
constexpr double kMeanEntries = 2.0;  // 1, 2 or 3 a span
constexpr double kEntries = kRuns * kTasks * kMeanSpans * kMeanEntries;

/// A share and the number of events that it rests on, on average.
struct PlantedShare {
  Measure measure;
  double events;
  [[nodiscard]] double chance() const { return events / kEntries; }
};

constexpr std::array<PlantedShare, 5> kShares{{{Measure::acted_on, 160},
                                               {Measure::benefit, 80},
                                               {Measure::novelty_null, 40},
                                               {Measure::influence_null, 20},
                                               {Measure::contradicted, 12}}};
/// Half of the entries acted on improve, so that this share rests on 80 events as well.
constexpr double kImproved = 0.5;

/// The episodes without anything in them, collected as any study is.
StudyFacts empty_study() {
  attribution::Collector collector;
  for (const char* configuration : {"memory", "none"}) {
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      for (std::uint32_t task = 0; task < kTasks; ++task) {
        test::PlannedEpisode plan;
        plan.configuration = configuration;
        plan.run = "r" + std::to_string(run);
        plan.task = plan.id = "task-" + std::to_string(task);
        collector.add(test::make_record(plan));
      }
    }
  }
  return collector.finish({}, "none");
}

bool falls(RandomStream& random, double chance) {
  return random.unit() < chance;
}

/// Draws the entries of one span; `factor` makes events more or less likely in the tasks of the study.
void draw_span(EpisodeFacts& episode, double factor, RandomStream& random) {
  const std::uint32_t entries = 1 + random.below(3);
  episode.profiled_spans += 1;
  episode.entries += entries;
  episode.assessed += entries;
  for (std::uint32_t i = 0; i < entries; ++i) {
    for (const PlantedShare& share : kShares) {
      // Benefit is drawn with acted on.
      if (share.measure == Measure::benefit || !falls(random, share.chance() * factor)) continue;
      const auto count = [&](Measure measure) {
        episode.with_property[static_cast<std::size_t>(measure)] += 1;
        episode.share_sums[static_cast<std::size_t>(measure)] += 1.0 / entries;
      };
      count(share.measure);
      if (share.measure == Measure::acted_on && falls(random, kImproved)) count(Measure::benefit);
    }
  }
}

/// A new study on the same tasks: resolve chances between 0.25 and 0.75 by task, 0.05 more with memory; chances of
/// events between 0 and twice their mean.
void redraw(StudyFacts& study, std::uint64_t data_set) {
  RandomStream random(2026, data_set);
  std::vector<double> ease(study.names.size());
  std::vector<double> factor(study.names.size());
  for (EpisodeFacts& episode : study.episodes) {
    if (ease[episode.task] == 0.0) {
      ease[episode.task] = 0.25 + 0.5 * random.unit();
      factor[episode.task] = 2.0 * random.unit();
    }
    const bool memory = study.name(episode.configuration) == "memory";
    episode.resolved = falls(random, ease[episode.task] + (memory ? kTrueDifference : 0.0));
    episode.profiled_spans = episode.entries = episode.assessed = 0;
    episode.with_property.fill(0);
    episode.share_sums.fill(0.0);
    if (!memory) continue;
    const std::uint32_t spans = random.below(4);
    for (std::uint32_t i = 0; i < spans; ++i) draw_span(episode, factor[episode.task], random);
  }
}

struct Coverage {
  std::uint64_t held = 0, intervals = 0;
  void add(const std::optional<stats::Interval>& interval, double truth) {
    if (!interval) return;
    ++intervals;
    if (interval->low <= truth && truth <= interval->high) ++held;
  }
  [[nodiscard]] double share() const { return static_cast<double>(held) / static_cast<double>(intervals); }
};

struct Coverages {
  Coverage difference;
  std::array<Coverage, kShares.size()> shares;
  Coverage improved;  ///< of the entries acted on
};

Coverages simulate(std::uint64_t data_sets, stats::Resampling resampling) {
  StudyFacts study = empty_study();
  const Episodes memory = attribution::episodes_of(study, "memory");
  const Episodes none = attribution::episodes_of(study, "none");
  const attribution::Pairing pairing = attribution::pair_by_task(memory, none);
  const rules::TokenEstimator estimator = study.profile.estimator;
  const Ratio resolved = attribution::measure_ratio(Measure::resolved, estimator);
  std::vector<Ratio> ratios;
  for (const PlantedShare& share : kShares) ratios.push_back(attribution::measure_ratio(share.measure, estimator));
  ratios.push_back(attribution::share_ratio([](const EpisodeFacts& episode) { return double(episode.beneficial()); },
                                            [](const EpisodeFacts& episode) { return double(episode.acted_on()); }));
  Coverages coverages;
  for (std::uint64_t i = 0; i < data_sets; ++i) {
    redraw(study, i);
    resampling.seed = i;
    const auto difference = attribution::paired_differences(pairing, std::span(&resolved, 1), resampling).front();
    coverages.difference.add(difference.interval, kTrueDifference);
    const auto estimates = attribution::estimate(memory, ratios, resampling);
    for (std::size_t s = 0; s < kShares.size(); ++s) {
      coverages.shares[s].add(estimates[s].interval, kShares[s].chance());
    }
    coverages.improved.add(estimates.back().interval, kImproved);
  }
  return coverages;
}

/// Between 93 and 97 of 100.
void check_coverage(const std::string& what, const Coverage& coverage, std::uint64_t data_sets) {
  INFO(what << ": " << coverage.held << " of " << coverage.intervals);
  CHECK(coverage.intervals == data_sets);
  CHECK(coverage.share() >= 0.93);
  CHECK(coverage.share() <= 0.97);
}

}  // namespace

TEST_CASE("coverage of intervals of a resolve difference and of shares that rest on 80 events or more") {
  constexpr std::uint64_t kDataSets = 1000;
  const Coverages coverages = simulate(kDataSets, {.resamples = 999});
  check_coverage("resolve difference", coverages.difference, kDataSets);
  check_coverage("share resting on 160 events", coverages.shares[0], kDataSets);
  check_coverage("share resting on 80 events", coverages.shares[1], kDataSets);
  check_coverage("improved of acted on, 80 events", coverages.improved, kDataSets);
}

TEST_CASE("coverage of intervals for rarer events and with all resamples", "[.slow]") {
  for (const auto method : {stats::IntervalMethod::percentile, stats::IntervalMethod::bca}) {
    const Coverages coverages = simulate(1000, {.resamples = 10'000, .method = method});
    const std::string name = method == stats::IntervalMethod::bca ? "bca" : "percentile";
    WARN(name << ", resolve difference: " << coverages.difference.share());
    WARN(name << ", improved of acted on: " << coverages.improved.share());
    check_coverage("resolve difference", coverages.difference, 1000);
    for (std::size_t i = 0; i < kShares.size(); ++i) {
      WARN(name << ", share resting on " << kShares[i].events << " events: " << coverages.shares[i].share() << " of "
                << coverages.shares[i].intervals);
      if (kShares[i].events >= 80) check_coverage("share", coverages.shares[i], 1000);
    }
  }
}

#endif
