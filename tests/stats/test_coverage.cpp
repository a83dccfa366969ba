#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/random.h"

// How often 95 % intervals hold the true value, over simulated studies whose truth is planted.

using namespace memuse::stats;

namespace {

std::vector<std::string> task_names(int tasks) {
  std::vector<std::string> names;
  for (int i = 0; i < tasks; ++i) names.push_back("task-" + std::to_string(i));
  return names;
}

/// Two configurations on the same tasks: solving probabilities lie between 0.25 and 0.75 by task for the second, 0.05
/// above for the first, so that the sides are correlated and rows of a task belong together.
struct TwoConfigurations {
  static constexpr double kTruth = 0.05;
  std::vector<Row> first;
  std::vector<Row> second;

  TwoConfigurations(const std::vector<std::string>& tasks, int runs, RandomStream random) {
    for (const std::string& task : tasks) {
      const double chance = 0.25 + 0.5 * random.unit();
      for (int run = 0; run < runs; ++run) {
        first.push_back({task, random.unit() < chance + kTruth ? 1.0 : 0.0});
        second.push_back({task, random.unit() < chance ? 1.0 : 0.0});
      }
    }
  }
};

/// Tasks with one to eight spans; the chance of an event differs by task, from 0 to twice the `share`.
std::vector<Row> spans_with_events(const std::vector<std::string>& tasks, double share, RandomStream random) {
  std::vector<Row> rows;
  for (const std::string& task : tasks) {
    const double chance = 2.0 * share * random.unit();
    const std::uint32_t spans = 1 + random.below(8);
    double events = 0.0;
    for (std::uint32_t i = 0; i < spans; ++i) events += random.unit() < chance ? 1.0 : 0.0;
    rows.push_back({task, events, static_cast<double>(spans)});
  }
  return rows;
}

bool holds(const std::optional<Estimate>& estimate, double truth) {
  return estimate && estimate->interval && estimate->interval->low <= truth && truth <= estimate->interval->high;
}

double difference_coverage(int data_sets, const Resampling& resampling) {
  const auto tasks = task_names(500);
  int covered = 0;
  for (int i = 0; i < data_sets; ++i) {
    const TwoConfigurations study(tasks, 2, RandomStream(2024, static_cast<std::uint64_t>(i)));
    covered += holds(ratio_difference(study.first, study.second, resampling), TwoConfigurations::kTruth) ? 1 : 0;
  }
  return static_cast<double>(covered) / data_sets;
}

/// For shares that rest on about `events` events among 500 tasks (2,250 spans).
double share_coverage(double events, int data_sets, const Resampling& resampling) {
  const auto tasks = task_names(500);
  const double share = events / (500 * 4.5);
  int covered = 0;
  for (int i = 0; i < data_sets; ++i) {
    const auto rows = spans_with_events(tasks, share, RandomStream(77, static_cast<std::uint64_t>(i)));
    covered += holds(ratio(rows, resampling), share) ? 1 : 0;
  }
  return static_cast<double>(covered) / data_sets;
}

}  // namespace

TEST_CASE("coverage of the interval of a resolve difference") {
  const double coverage = difference_coverage(1000, {.resamples = 999, .seed = 1});
  INFO("coverage " << coverage);
  CHECK(coverage >= 0.93);
  CHECK(coverage <= 0.97);
}

TEST_CASE("coverage of the interval of a share that rests on 80 events") {
  const double coverage = share_coverage(80, 1000, {.resamples = 999, .seed = 1});
  INFO("coverage " << coverage);
  CHECK(coverage >= 0.93);
  CHECK(coverage <= 0.97);
}

TEST_CASE("coverage with all resamples, for both methods and for rare events", "[.slow]") {
  for (const IntervalMethod method : {IntervalMethod::percentile, IntervalMethod::bca}) {
    const std::string name = method == IntervalMethod::bca ? "bca" : "percentile";
    const Resampling resampling{.resamples = 10'000, .seed = 1, .method = method};
    const double difference = difference_coverage(1000, resampling);
    WARN(name << ", resolve difference: " << difference);
    CHECK(difference >= 0.93);
    CHECK(difference <= 0.97);
    for (const double events : {10.0, 20.0, 40.0, 80.0, 160.0}) {
      const double coverage = share_coverage(events, 1000, resampling);
      WARN(name << ", share resting on " << events << " events: " << coverage);
      if (events >= 80.0) {
        CHECK(coverage >= 0.93);
        CHECK(coverage <= 0.97);
      }
    }
  }
}
