#include "attribution/ratio.h"

#include <catch2/catch.hpp>

#include "attribution/pairing.h"
#include "random_study.h"

using namespace memuse;
using attribution::EpisodeFacts;
using attribution::Episodes;
using attribution::Ratio;
using attribution::StudyFacts;
using rules::Measure;

namespace {

const stats::Resampling kResampling{2000, 11};

Ratio resolved() {
  return attribution::measure_ratio(Measure::resolved, rules::TokenEstimator::utf8_bytes_4);
}

/// The rows that `stats::ratio` would be given: one per episode.
std::vector<stats::Row> resolved_rows(const StudyFacts& study, const Episodes& episodes) {
  std::vector<stats::Row> rows;
  for (const EpisodeFacts* facts : episodes) {
    rows.push_back({study.name(facts->group != 0 ? facts->group : facts->task), facts->resolved == true ? 1.0 : 0.0});
  }
  return rows;
}

}  // namespace

TEST_CASE("an interval is that of the clustered bootstrap over rows") {
  for (const bool groups : {false, true}) {
    const StudyFacts study = test::study_of(test::random_study(4, 50, groups), {}, "");
    const Episodes alpha = attribution::episodes_of(study, "alpha");
    const Ratio ratio = resolved();
    const auto estimate = attribution::estimate(alpha, std::span(&ratio, 1), kResampling).front();
    const auto expected = stats::ratio(resolved_rows(study, alpha), kResampling);
    REQUIRE(expected);
    REQUIRE(estimate.interval);
    CHECK(*estimate.value == expected->value);
    CHECK(*estimate.interval == *expected->interval);
    CHECK(attribution::count_clusters(alpha) == expected->clusters);
  }
}

TEST_CASE("ratios estimated together are those estimated alone") {
  const StudyFacts study = test::study_of(test::random_study(5, 50), {}, "");
  const Episodes beta = attribution::episodes_of(study, "beta");
  std::vector<Ratio> ratios;
  for (const auto& info : rules::measures()) {
    ratios.push_back(attribution::measure_ratio(info.measure, study.profile.estimator));
  }
  const auto together = attribution::estimate(beta, ratios, kResampling);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const auto alone = attribution::estimate(beta, std::span(&ratios[i], 1), kResampling).front();
    INFO(rules::measures()[i].key);
    CHECK(together[i].value == alone.value);
    CHECK(together[i].interval == alone.interval);
    CHECK(together[i].events == alone.events);
  }
}

TEST_CASE("a share that rests on fewer than ten events has a mark and no interval") {
  std::vector<EpisodeSpansRecord> records;
  for (int i = 0; i < 30; ++i) records.push_back(test::attempt("c", "r1", "t" + std::to_string(i), i < 9, 0.1));
  const Ratio ratio = resolved();
  const auto estimate_of = [&ratio](const StudyFacts& study) {
    return attribution::estimate(attribution::episodes_of(study, "c"), std::span(&ratio, 1), kResampling).front();
  };
  const auto nine = estimate_of(test::study_of(records, {}, ""));
  CHECK(nine.events == 9);
  CHECK(nine.few_events);
  CHECK_FALSE(nine.interval);
  CHECK(*nine.value == Approx(0.3));
  records[20].episode.resolved = true;
  const auto ten = estimate_of(test::study_of(records, {}, ""));
  CHECK(ten.events == 10);
  CHECK_FALSE(ten.few_events);
  CHECK(ten.interval);
}

TEST_CASE("differences are paired by task and those of the paired bootstrap over rows") {
  const StudyFacts study = test::study_of(test::random_study(6, 50), {}, "alpha");
  const Episodes alpha = attribution::episodes_of(study, "alpha");
  const Episodes beta = attribution::episodes_of(study, "beta");
  const attribution::Pairing pairing = attribution::pair_by_task(beta, alpha);
  CHECK(pairing.tasks.size() == 43);  // tasks 3, 10, 17, 24, 31, 38 and 45 are missing in beta
  CHECK(pairing.only_first.empty());
  REQUIRE(pairing.only_second.size() == 7);
  CHECK(study.name(pairing.only_second.front()) == "task-10");
  CHECK(pairing.clusters() == 43);
  const Ratio ratio = resolved();
  const auto difference = attribution::paired_differences(pairing, std::span(&ratio, 1), kResampling).front();
  const auto expected = stats::ratio_difference(resolved_rows(study, beta), resolved_rows(study, alpha), kResampling);
  REQUIRE(expected);
  CHECK(*difference.value == expected->value);
  CHECK(difference.interval == expected->interval);
  CHECK(difference.p == expected->p);
  CHECK(*difference.first - *difference.second == *difference.value);
}

TEST_CASE("pairs keep all runs of a task together and match no unnamed episode") {
  auto records = test::small_study_records();
  EpisodeSpansRecord unnamed = test::attempt("cards", "r1", "", true, 0.1);
  records.push_back(unnamed);
  const StudyFacts study = test::study_of(records);
  const auto pairing =
      attribution::pair_by_task(attribution::episodes_of(study, "cards"), attribution::episodes_of(study, "base"));
  REQUIRE(pairing.tasks.size() == 3);
  for (const attribution::PairedTask& task : pairing.tasks) {
    CHECK(task.first.size() == 2);
    CHECK(task.second.size() == 2);
  }
  REQUIRE(pairing.only_first.size() == 1);
  CHECK(study.name(pairing.only_first[0]) == "t6");
  REQUIRE(pairing.only_second.size() == 1);
  CHECK(study.name(pairing.only_second[0]) == "t5");
  CHECK(pairing.unnamed_first == 1);
  CHECK(pairing.first_episodes().size() == 6);
  const Ratio ratio = resolved();
  const auto difference = attribution::paired_differences(pairing, std::span(&ratio, 1), kResampling).front();
  CHECK(*difference.first == Approx(5.0 / 6.0));
  CHECK(*difference.second == Approx(0.5));
  CHECK(difference.few_events);  // 5 + 3 resolved
  CHECK_FALSE(difference.interval);
  CHECK_FALSE(difference.p);
}

TEST_CASE("nothing in common gives no difference") {
  const StudyFacts study =
      test::study_of({test::attempt("a", "r1", "t1", true, 0.1), test::attempt("b", "r1", "t2", true, 0.1)}, {}, "a");
  const auto pairing =
      attribution::pair_by_task(attribution::episodes_of(study, "b"), attribution::episodes_of(study, "a"));
  CHECK(pairing.tasks.empty());
  const Ratio ratio = resolved();
  CHECK_FALSE(attribution::paired_differences(pairing, std::span(&ratio, 1), kResampling).front().value);
}
