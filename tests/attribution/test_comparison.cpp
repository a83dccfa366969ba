#include "attribution/comparison.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "attribution/collector.h"

using namespace memuse;
using namespace memuse::attribution;

namespace {

EpisodeSpansRecord execution(const std::string& configuration, const std::string& run, const std::string& task,
                             std::optional<bool> resolved, std::optional<double> usd = 0.5) {
  EpisodeSpansRecord record;
  record.episode.configuration = configuration;
  record.episode.run = run;
  record.episode.episode = task;
  record.episode.task_id = task;
  record.episode.uid = configuration + run + task;
  record.episode.model = "example-model";
  record.episode.repo = "depot";
  record.episode.delivery_grade = "annotated";
  record.episode.resolved = resolved;
  record.episode.agent.calls = 1;
  record.episode.agent.calls_without_cost = usd ? 0 : 1;
  record.episode.agent.cost_usd = usd.value_or(0.0);
  return record;
}

/// Adds a profiled span of one delivery of `tokens` tokens with these answers.
void add_span(EpisodeSpansRecord& record, std::uint64_t tokens, const std::vector<Labels>& answers) {
  SpanRecord span;
  span.number = static_cast<std::uint32_t>(record.spans.size() + 1);
  span.first_step = span.last_step = 1;
  span.status = SpanStatus::judged;
  DeliveryRecord delivery;
  delivery.step = 1;
  delivery.span = span.number;
  delivery.placed_bytes = tokens * 4;
  delivery.estimated_tokens = tokens;
  span.deliveries.push_back(delivery);
  for (const Labels& labels : answers) {
    EntryRecord entry;
    entry.entry = static_cast<std::uint32_t>(span.entries.size());
    entry.window = Window{1, 1};
    entry.answer = EntryAnswer{};
    entry.answer->labels = labels;
    span.entries.push_back(entry);
  }
  record.spans.push_back(span);
}

Labels helpful() {
  return {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
}
Labels harmful() {
  return {true, Accuracy::contradicted, Novelty::novel, Influence::acted_on, Effect::harmed};
}
Labels ignored() {
  return {false, Accuracy::uncontradicted, Novelty::redundant, Influence::none, std::nullopt};
}

StudyFacts study_of(const std::vector<EpisodeSpansRecord>& records) {
  Collector collector;
  for (const EpisodeSpansRecord& record : records) collector.add(record);
  return collector.finish({});
}

ComparisonRequest request(const std::string& first, const std::vector<std::string>& seconds,
                          std::uint64_t resamples = 999) {
  ComparisonRequest made;
  made.first = first;
  made.seconds = seconds;
  made.family = default_family();
  made.resampling.resamples = resamples;
  made.resampling.seed = 7;
  return made;
}

const MeasureDifference& row(const Comparison& comparison, std::string_view key) {
  const auto found = std::find_if(comparison.measures.begin(), comparison.measures.end(),
                                  [key](const MeasureDifference& candidate) { return candidate.measure->key == key; });
  REQUIRE(found != comparison.measures.end());
  return *found;
}

std::string task(int number) {
  return "t" + std::to_string(number);
}

}  // namespace

TEST_CASE("one execution of each task on both sides: values by hand and the exact test") {
  std::vector<EpisodeSpansRecord> records;
  // a resolves none of the first six tasks, b all of them; both resolve t6, neither t7.
  for (int i = 0; i < 8; ++i) {
    records.push_back(execution("a", "r1", task(i), i == 6));
    records.push_back(execution("b", "r1", task(i), i < 7));
  }
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("a", {"b"})).front();
  const MeasureDifference& resolved = row(comparison, "resolved");
  CHECK(*resolved.first == Approx(1.0 / 8));
  CHECK(*resolved.second == Approx(7.0 / 8));
  CHECK(*resolved.difference == Approx(6.0 / 8));
  CHECK(comparison.discordant_first == 0);
  CHECK(comparison.discordant_second == 6);
  CHECK(resolved.p_method == PMethod::mcnemar);
  CHECK(*resolved.p == Approx(2.0 / 64));
  // 1 + 7 = 8 resolved episodes: too few for an interval.
  CHECK(resolved.few_events);
  CHECK_FALSE(resolved.interval);
}

TEST_CASE("several runs of a task are resampled together and the exact test does not apply") {
  std::vector<EpisodeSpansRecord> records;
  for (int i = 0; i < 12; ++i) {
    records.push_back(execution("a", "r1", task(i), i < 4));
    records.push_back(execution("a", "r2", task(i), i < 6));
    records.push_back(execution("b", "r1", task(i), i < 9));
  }
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("a", {"b"})).front();
  const MeasureDifference& resolved = row(comparison, "resolved");
  CHECK(*resolved.first == Approx(10.0 / 24));
  CHECK(*resolved.second == Approx(9.0 / 12));
  CHECK(*resolved.difference == Approx(8.0 / 24));
  CHECK(resolved.p_method == PMethod::bootstrap);
  REQUIRE(resolved.interval);
  CHECK(resolved.interval->low < *resolved.difference);
  CHECK(resolved.interval->high > *resolved.difference);
  CHECK(comparison.pairing.clusters() == 12);
}

TEST_CASE("a cost that is not known stays out of the mean and is counted") {
  std::vector<EpisodeSpansRecord> records{
      execution("a", "r1", "t0", true, 0.25), execution("a", "r1", "t1", true, std::nullopt),
      execution("a", "r1", "t2", true, 0.75), execution("b", "r1", "t0", true, 1.0),
      execution("b", "r1", "t1", true, 2.0),  execution("b", "r1", "t2", std::nullopt, 3.0)};
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("a", {"b"})).front();
  const MeasureDifference& cost = row(comparison, "cost");
  CHECK(*cost.first == Approx(0.5));
  CHECK(*cost.second == Approx(2.0));
  CHECK(*cost.difference == Approx(1.5));
  CHECK(comparison.cost_unknown_first == 1);
  CHECK(comparison.cost_unknown_second == 0);
  CHECK(comparison.without_result_second == 1);
  CHECK(*row(comparison, "resolved").second == Approx(2.0 / 3));
}

TEST_CASE("shares, yields and tokens by hand") {
  std::vector<EpisodeSpansRecord> records;
  for (const char* configuration : {"a", "b"}) {
    for (int i = 0; i < 2; ++i) records.push_back(execution(configuration, "r1", task(i), true));
  }
  add_span(records[0], 100, {helpful(), ignored()});   // a, t0: shares 1/2
  add_span(records[1], 300, {ignored()});              // a, t1
  add_span(records[2], 1000, {helpful(), helpful()});  // b, t0
  add_span(records[2], 500, {harmful(), ignored()});   // b, t0
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("a", {"b"}, 0)).front();
  CHECK(*row(comparison, "relevance").first == Approx((0.5 + 0.0) / 2));
  CHECK(*row(comparison, "relevance").second == Approx((1.0 + 0.5) / 2));
  CHECK(*row(comparison, "corroboration").second == Approx((1.0 + 0.0) / 2));
  CHECK(*row(comparison, "benefit").difference == Approx((1.0 + 0.0) / 2 - (0.5 + 0.0) / 2));
  CHECK(*row(comparison, "harm").difference == Approx(0.25));
  CHECK(*row(comparison, "contradicted").second == Approx(0.25));
  CHECK(*row(comparison, "beneficial_yield").first == Approx(50.0));
  CHECK(*row(comparison, "beneficial_yield").second == Approx(100.0));
  CHECK(*row(comparison, "harmful_yield").difference == Approx(50.0));
  CHECK(*row(comparison, "token_efficiency").first == Approx(1e6 / 400));
  CHECK(*row(comparison, "token_efficiency").second == Approx(2e6 / 1500));
  CHECK(*row(comparison, "delivered_tokens").first == Approx(200.0));
  CHECK(*row(comparison, "delivered_tokens").second == Approx(750.0));
  for (const MeasureDifference& measure : comparison.measures) CHECK_FALSE(measure.interval);
}

TEST_CASE("a side without memory has no axes and no difference in them, and 0 delivered tokens") {
  std::vector<EpisodeSpansRecord> records{execution("none", "r1", "t0", true), execution("b", "r1", "t0", true)};
  add_span(records[1], 10, {helpful()});
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("none", {"b"})).front();
  CHECK_FALSE(row(comparison, "benefit").first);
  CHECK(row(comparison, "benefit").second == 1.0);
  CHECK_FALSE(row(comparison, "benefit").difference);
  CHECK_FALSE(row(comparison, "benefit").holm_p);
  CHECK(row(comparison, "delivered_tokens").first == 0.0);
}

TEST_CASE("deliveries that were not recorded are not 0 tokens") {
  std::vector<EpisodeSpansRecord> records{execution("a", "r1", "t0", true), execution("b", "r1", "t0", true)};
  records[0].episode.delivery_grade = "not_recorded";
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("a", {"b"})).front();
  CHECK_FALSE(row(comparison, "delivered_tokens").first);
  CHECK_FALSE(row(comparison, "delivered_tokens").difference);
}

TEST_CASE("swapping the sides changes signs and nothing else") {
  std::mt19937 random(20);
  const auto chance = [&random](double share) { return std::bernoulli_distribution(share)(random); };
  for (int round = 0; round < 6; ++round) {
    std::vector<EpisodeSpansRecord> records;
    for (const char* configuration : {"a", "b"}) {
      for (int i = 0; i < 30; ++i) {
        if (chance(0.1)) continue;
        for (int run = 0; run < 1 + round % 2; ++run) {
          records.push_back(execution(configuration, "r" + std::to_string(run), task(i), chance(0.5),
                                      chance(0.9) ? std::optional(0.01 * i) : std::nullopt));
          const int spans = static_cast<int>(random() % 3);
          for (int s = 0; s < spans; ++s) {
            add_span(records.back(), 10 + random() % 90, {chance(0.4) ? helpful() : ignored(), harmful()});
          }
          if (round > 3) records.back().episode.group = "arc" + std::to_string(i / 5);
        }
      }
    }
    const StudyFacts study = study_of(records);
    ComparisonRequest asked = request("a", {"b"});
    ComparisonRequest swapped = request("b", {"a"});
    if (round % 3 == 2) asked.resampling.method = swapped.resampling.method = stats::IntervalMethod::bca;
    const Comparison forth = compare_configurations(study, asked).front();
    const Comparison back = compare_configurations(study, swapped).front();
    CHECK(forth.pairing.only_first == back.pairing.only_second);
    CHECK(forth.discordant_first == back.discordant_second);
    CHECK(forth.cost_unknown_first == back.cost_unknown_second);
    for (std::size_t i = 0; i < forth.measures.size(); ++i) {
      const MeasureDifference& a = forth.measures[i];
      const MeasureDifference& b = back.measures[i];
      INFO(a.measure->key << " in round " << round);
      CHECK(a.first == b.second);
      CHECK(a.second == b.first);
      REQUIRE(a.difference.has_value() == b.difference.has_value());
      if (a.difference) CHECK(*a.difference == -*b.difference);
      REQUIRE(a.interval.has_value() == b.interval.has_value());
      if (a.interval && asked.resampling.method == stats::IntervalMethod::percentile) {
        CHECK(a.interval->low == -b.interval->high);
        CHECK(a.interval->high == -b.interval->low);
      } else if (a.interval) {
        CHECK(a.interval->low == Approx(-b.interval->high).margin(1e-9));
        CHECK(a.interval->high == Approx(-b.interval->low).margin(1e-9));
      }
      CHECK(a.p == b.p);
      CHECK(a.holm_p == b.holm_p);
    }
  }
}

TEST_CASE("Holm's adjustment goes over all comparisons and only over the family") {
  std::vector<EpisodeSpansRecord> records;
  for (int i = 0; i < 8; ++i) {
    records.push_back(execution("a", "r1", task(i), false));
    records.push_back(execution("b", "r1", task(i), i < 6));
    records.push_back(execution("c", "r1", task(i), i < 7));
  }
  const StudyFacts study = study_of(records);
  ComparisonRequest asked = request("a", {"b", "c"});
  asked.family = {"resolved"};
  const std::vector<Comparison> both = compare_configurations(study, asked);
  // p: 2/64 and 2/128; the smaller is doubled, the larger stands as it is.
  CHECK(*row(both[0], "resolved").p == Approx(2.0 / 64));
  CHECK(*row(both[1], "resolved").p == Approx(2.0 / 128));
  CHECK(*row(both[0], "resolved").holm_p == Approx(2.0 / 64));
  CHECK(*row(both[1], "resolved").holm_p == Approx(2 * 2.0 / 128));
  CHECK(row(both[0], "cost").p);
  CHECK_FALSE(row(both[0], "cost").holm_p);
}

TEST_CASE("what differs beside the declared factor is told") {
  std::vector<EpisodeSpansRecord> records{execution("a", "r1", "t0", true), execution("a", "r1", "t1", true),
                                          execution("b", "r1", "t0", true), execution("b", "r2", "t0", true)};
  records[2].episode.model = records[3].episode.model = "other-model";
  records[3].episode.repo = "signal-box";
  for (std::size_t i = 0; i < records.size(); ++i) records[i].episode.seed = i < 2 ? "1" : "2";
  const StudyFacts study = study_of(records);
  const Comparison comparison = compare_configurations(study, request("a", {"b"})).front();
  const std::vector<std::string> all = confounds(comparison, Factor::memory);
  REQUIRE(all.size() == 5);
  CHECK(all[0] == "the models differ (example-model against other-model)");
  CHECK(all[1] == "the seeds differ (1 against 2)");
  CHECK(all[2] == "the task sets differ (1 on the first side only, 0 on the second only; they are left out)");
  CHECK(all[3] == "the numbers of runs differ (1 against 2)");
  CHECK(all[4] == "the repositories differ (depot against depot, signal-box)");
  CHECK(confounds(comparison, Factor::model).size() == 4);
}

TEST_CASE("equal sides give no warning, an unrecorded model does, and so does a factor that does not vary") {
  std::vector<EpisodeSpansRecord> records{execution("a", "r1", "t0", true), execution("b", "r1", "t0", true)};
  CHECK(confounds(compare_configurations(study_of(records), request("a", {"b"})).front(), Factor::memory).empty());
  const StudyFacts same = study_of(records);
  CHECK(confounds(compare_configurations(same, request("a", {"b"})).front(), Factor::model) ==
        std::vector<std::string>{"the declared factor (model) is the same on both sides"});
  records[1].episode.model.clear();
  const StudyFacts silent = study_of(records);
  CHECK(confounds(compare_configurations(silent, request("a", {"b"})).front(), Factor::memory) ==
        std::vector<std::string>{"not every episode records its model, so the models may differ"});
}

TEST_CASE("without a matched task there is nothing but counts") {
  const StudyFacts study = study_of({execution("a", "r1", "t0", true), execution("b", "r1", "t1", true)});
  const Comparison comparison = compare_configurations(study, request("a", {"b"})).front();
  CHECK(comparison.pairing.tasks.empty());
  CHECK(comparison.pairing.only_first.size() == 1);
  for (const MeasureDifference& measure : comparison.measures) {
    CHECK_FALSE(measure.difference);
    CHECK_FALSE(measure.p);
  }
}
