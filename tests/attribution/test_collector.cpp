#include "attribution/collector.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "attribution/ratio.h"
#include "attribution/summaries.h"
#include "random_study.h"

using namespace memuse;
using attribution::EpisodeFacts;
using attribution::Episodes;
using attribution::StudyFacts;
using rules::Measure;

namespace {

const EpisodeFacts& facts_of(const StudyFacts& study, const std::string& configuration, const std::string& run,
                             const std::string& task) {
  for (const EpisodeFacts* facts : attribution::episodes_of(study, configuration, run)) {
    if (study.name(facts->task) == task) return *facts;
  }
  throw std::runtime_error("no such episode");
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

TEST_CASE("facts of an episode are those of its spans") {
  const StudyFacts study = test::small_study();
  CHECK(study.episodes.size() == 22);
  const EpisodeFacts& t3 = facts_of(study, "cards", "r1", "t3");
  CHECK(t3.resolved == false);
  CHECK(t3.deliveries == 2);
  CHECK(t3.restatements == 1);
  CHECK(t3.estimated_tokens == 80);
  CHECK(t3.profiled_spans == 1);
  CHECK(t3.assessed == 2);
  CHECK(t3.relevant() == 2);
  CHECK(t3.acted_on() == 1);
  CHECK(t3.no_effect == 1);
  CHECK(t3.unused == 1);
  CHECK(t3.novel_unused == 0);
  CHECK(t3.share_sums[static_cast<std::size_t>(Measure::relevance)] == 1.0);
  CHECK(t3.share_sums[static_cast<std::size_t>(Measure::acted_on)] == 0.5);
  CHECK(t3.side.cost_usd == 0.05);
  REQUIRE(study.delays_of(t3).size() == 1);
  CHECK(study.delays_of(t3)[0] == 8);
  REQUIRE(study.forms_of(t3).size() == 1);
  CHECK(study.forms[study.forms_of(t3)[0].form] == attribution::DeliveryForm{"host", "pinned"});

  const EpisodeFacts& r2 = facts_of(study, "cards", "r2", "t3");
  CHECK(r2.entries == 3);  // an empty window is in the denominator
  CHECK(r2.assessed == 2);
  CHECK(r2.beneficial() == 1);
  CHECK(r2.share_sums[static_cast<std::size_t>(Measure::benefit)] == Approx(1.0 / 3.0));
  CHECK(r2.count(Measure::novelty_null) == 1);
  CHECK(r2.verdicts[static_cast<std::size_t>(Verdict::beneficial)] == 1);
}

TEST_CASE("an attempt that is not retained leaves no facts and is counted in the profile") {
  auto records = test::small_study_records();
  auto earlier = records.front();
  earlier.episode.uid = "earlier";
  earlier.episode.retained = false;
  records.push_back(earlier);
  const StudyFacts study = test::study_of(records);
  CHECK(study.episodes.size() == 22);
  CHECK(study.profile.configurations.front().pooled.counts.attempts_set_aside == 1);
}

TEST_CASE("runs of a task are one cluster - arcs where there are arcs - episodes without a task stay alone") {
  auto records = test::random_study(1, 9, true);
  EpisodeSpansRecord unnamed = test::attempt("alpha", "r1", "", true, 0.1);
  unnamed.episode.uid = "one";
  records.push_back(unnamed);
  unnamed.episode.uid = "two";
  records.push_back(unnamed);
  // A task that bears the name of an arc is not that arc.
  records.push_back(test::attempt("alpha", "r1", "arc-0", true, 0.1));
  const StudyFacts study = test::study_of(records, {}, "");
  const Episodes alpha = attribution::episodes_of(study, "alpha");
  CHECK(attribution::count_clusters(alpha) == 3 + 2 + 1);
  for (const EpisodeFacts& a : study.episodes) {
    for (const EpisodeFacts& b : study.episodes) {
      if (a.group != 0 || b.group != 0) CHECK((a.cluster == b.cluster) == (a.group == b.group));
    }
  }
}

TEST_CASE("the order of episodes does not matter to any sum, down to the last bit") {
  auto records = test::random_study(2, 40);
  const StudyFacts study = test::study_of(records, {}, "alpha");
  std::mt19937 random(5);
  std::shuffle(records.begin(), records.end(), random);
  const StudyFacts shuffled = test::study_of(records, {}, "alpha");
  CHECK(study.names == shuffled.names);
  CHECK(study.forms == shuffled.forms);
  std::vector<attribution::Ratio> ratios;
  for (const auto& info : rules::measures()) {
    ratios.push_back(attribution::measure_ratio(info.measure, study.profile.estimator));
  }
  for (const char* configuration : {"alpha", "beta"}) {
    const auto sums = attribution::cluster_sums(attribution::episodes_of(study, configuration), ratios);
    const auto others = attribution::cluster_sums(attribution::episodes_of(shuffled, configuration), ratios);
    REQUIRE(sums.clusters() == others.clusters());
    REQUIRE(sums.clusters() > 0);
    REQUIRE(sums.columns() > 0);
    bool equal = true;
    for (std::size_t i = 0; i < sums.clusters(); ++i) {
      for (std::size_t c = 0; c < sums.columns(); ++c) {
        equal = equal && same_bits(sums.cluster(i)[c], others.cluster(i)[c]);
      }
    }
    CHECK(equal);
    const auto forms = attribution::summarise_forms(study, attribution::episodes_of(study, configuration));
    const auto other_forms = attribution::summarise_forms(shuffled, attribution::episodes_of(shuffled, configuration));
    REQUIRE(forms.size() == other_forms.size());
    for (std::size_t i = 0; i < forms.size(); ++i) {
      CHECK(forms[i].form == other_forms[i].form);
      CHECK(forms[i].tokens == other_forms[i].tokens);
    }
  }
}

TEST_CASE("ratios over all episodes are the measures of the profile") {
  const StudyFacts study = test::study_of(test::random_study(3, 60), {}, "");
  REQUIRE(study.profile.configurations.size() >= 2);
  for (const auto& configuration : study.profile.configurations) {
    const Episodes episodes = attribution::episodes_of(study, configuration.configuration);
    for (const auto& info : rules::measures()) {
      const attribution::Ratio ratio = attribution::measure_ratio(info.measure, study.profile.estimator);
      const auto estimates = attribution::estimate(episodes, std::span(&ratio, 1), {0, 0});
      const auto expected = configuration.pooled.value(info.measure);
      INFO(info.key);
      REQUIRE(estimates.front().value.has_value() == expected.has_value());
      if (expected) CHECK(*estimates.front().value == Approx(*expected).epsilon(1e-12));
    }
  }
}

TEST_CASE("a study without episodes has no facts") {
  const StudyFacts study = attribution::Collector().finish({});
  CHECK(study.episodes.empty());
  CHECK(study.profile.configurations.empty());
  CHECK(attribution::episodes_of(study, "none").empty());
  CHECK(study.find_name("") == attribution::NameId{0});
  CHECK_FALSE(study.find_name("x"));
}
