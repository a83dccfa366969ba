#include "rules/profile.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "rules/verdict.h"

using namespace memuse;
using rules::Measure;

namespace {

EntryRecord entry(std::optional<std::string> item, std::optional<Labels> labels) {
  EntryRecord record;
  record.item = std::move(item);
  if (labels) {
    record.window = Window{1, 2};
    record.answer = EntryAnswer{};
    record.answer->labels = *labels;
  }
  return record;
}

DeliveryRecord delivery(bool restatement, std::uint64_t bytes, std::optional<std::uint64_t> tokens) {
  DeliveryRecord record;
  record.restatement = restatement;
  record.placed_bytes = bytes;
  record.recorded_tokens = tokens;
  record.estimated_tokens = (bytes + 3) / 4;
  return record;
}

SpanRecord span(SpanStatus status, std::vector<EntryRecord> entries, std::vector<DeliveryRecord> deliveries) {
  SpanRecord record;
  record.status = status;
  record.entries = std::move(entries);
  record.deliveries = std::move(deliveries);
  return record;
}

EpisodeSpansRecord episode(std::string configuration, std::string run, std::optional<bool> resolved,
                           std::vector<SpanRecord> spans) {
  EpisodeSpansRecord record;
  record.episode.configuration = std::move(configuration);
  record.episode.run = std::move(run);
  record.episode.store = "default";
  record.episode.resolved = resolved;
  record.spans = std::move(spans);
  return record;
}

const Labels kImproved{true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
const Labels kHarmed{true, Accuracy::contradicted, Novelty::confirming, Influence::acted_on, Effect::harmed};
const Labels kUnused{true, Accuracy::uncontradicted, Novelty::redundant, Influence::none, {}};
const Labels kForeign{false, Accuracy::corroborated, Novelty::novel, Influence::none, {}};
const Labels kOpen{true, Accuracy::uncontradicted, {}, {}, {}};
const Labels kOpenEffect{true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, {}};

/// Two runs of one configuration. Run r1: a span of four entries (one with an empty window) and a span of one; run r2:
/// a span of two.
std::vector<EpisodeSpansRecord> worked_study() {
  return {
      episode(
          "c", "r1", true,
          {span(SpanStatus::judged, {entry("A", kImproved), entry("B", kUnused), entry("C", {}), entry("D", kForeign)},
                {delivery(false, 40, {}), delivery(true, 40, {})}),
           span(SpanStatus::automatic, {entry("A", {})}, {delivery(false, 10, {})})}),
      episode("c", "r1", {},
              {span(SpanStatus::judged, {entry("A", kHarmed)}, {delivery(false, 9, {})}),
               span(SpanStatus::empty, {}, {delivery(false, 0, {})})}),
      episode("c", "r2", false,
              {span(SpanStatus::judged, {entry("A", kOpen), entry({}, kOpenEffect)}, {delivery(false, 20, {})}),
               span(SpanStatus::unresolved, {entry("B", {})}, {delivery(false, 8, {})}),
               span(SpanStatus::not_judged, {entry("B", {})}, {delivery(false, 4, {})})}),
      episode("c", "r2", true, {}),
  };
}

rules::StudyProfile profile_of(const std::vector<EpisodeSpansRecord>& study, rules::AssessedSignals assessed = {}) {
  rules::StudyTally tally;
  for (const auto& record : study) tally.add(record);
  return tally.finish(assessed);
}

bool same_bits(std::optional<double> a, std::optional<double> b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || std::memcmp(&*a, &*b, sizeof(double)) == 0;
}

void require_same_bits(const rules::StudyProfile& a, const rules::StudyProfile& b) {
  REQUIRE(a.estimator == b.estimator);
  REQUIRE(a.configurations.size() == b.configurations.size());
  for (std::size_t i = 0; i < a.configurations.size(); ++i) {
    const auto& left = a.configurations[i];
    const auto& right = b.configurations[i];
    REQUIRE(left.configuration == right.configuration);
    REQUIRE(left.runs.size() == right.runs.size());
    for (std::size_t m = 0; m < rules::kMeasureCount; ++m) {
      REQUIRE(same_bits(left.pooled.values[m], right.pooled.values[m]));
      REQUIRE(left.spreads[m].has_value() == right.spreads[m].has_value());
      if (left.spreads[m]) {
        REQUIRE(same_bits(left.spreads[m]->mean, right.spreads[m]->mean));
        REQUIRE(same_bits(left.spreads[m]->deviation, right.spreads[m]->deviation));
      }
      for (std::size_t r = 0; r < left.runs.size(); ++r) {
        REQUIRE(same_bits(left.runs[r].profile.values[m], right.runs[r].profile.values[m]));
      }
    }
    REQUIRE(left.pooled.counts.recurring_items == right.pooled.counts.recurring_items);
  }
}

}  // namespace

TEST_CASE("a study worked by hand, pooled over runs") {
  const auto study = profile_of(worked_study());
  REQUIRE(study.configurations.size() == 1);
  const rules::Profile& pooled = study.configurations[0].pooled;
  const auto value = [&pooled](Measure measure) { return pooled.value(measure).value(); };

  // Spans: {A improved, B unused, C empty window, D foreign}, {A harmed}, {A open, - effect open}.
  CHECK(value(Measure::relevance) == Approx((2.0 / 4 + 1 + 1) / 3));
  CHECK(value(Measure::corroboration) == Approx((1.0 / 4 + 0 + 1.0 / 2) / 3));
  CHECK(value(Measure::information_gain) == Approx((1.0 / 4 + 1 + 1.0 / 2) / 3));
  CHECK(value(Measure::acted_on) == Approx((1.0 / 4 + 1 + 1.0 / 2) / 3));
  CHECK(value(Measure::benefit) == Approx((1.0 / 4) / 3));
  CHECK(value(Measure::harm) == Approx(1.0 / 3));
  CHECK(value(Measure::contradicted) == Approx(1.0 / 3));
  CHECK(value(Measure::novelty_null) == Approx((1.0 / 2) / 3));
  CHECK(value(Measure::influence_null) == Approx((1.0 / 2) / 3));
  CHECK(value(Measure::effect_null) == Approx((1.0 / 2) / 3));
  CHECK(value(Measure::relevance_null) == 0.0);
  CHECK(value(Measure::accuracy_null) == 0.0);
  CHECK(value(Measure::beneficial_yield) == Approx(100.0 / 3));
  CHECK(value(Measure::harmful_yield) == Approx(100.0 / 3));
  // 10 + 10 + 3 + 3 + 0 + 5 + 2 + 1 estimated tokens.
  CHECK(study.estimator == rules::TokenEstimator::utf8_bytes_4);
  CHECK(pooled.counts.estimated_tokens == 34);
  CHECK(value(Measure::token_efficiency) == Approx(1e6 / 34));
  CHECK(value(Measure::restatement_share) == Approx(1.0 / 8));
  CHECK(value(Measure::resolved) == Approx(2.0 / 4));

  const rules::Counts& counts = pooled.counts;
  CHECK(counts.episodes == 4);
  CHECK(counts.without_result == 1);
  CHECK(counts.episodes_with_delivery == 3);
  CHECK(counts.episodes_with_profiled_span == 3);
  CHECK(counts.profiled_spans == 3);
  CHECK(counts.automatic_spans == 1);
  CHECK(counts.empty_spans == 1);
  CHECK(counts.unresolved_spans == 1);
  CHECK(counts.not_judged_spans == 1);
  CHECK(counts.spans() == 7);
  CHECK(counts.triaged() == 4);
  CHECK(counts.verdict_count(Verdict::beneficial) == 1);
  CHECK(counts.verdict_count(Verdict::harmful) == 1);
  CHECK(counts.verdict_count(Verdict::undetermined) == 1);
  CHECK(counts.verdict_count(Verdict::neutral) == 1);  // the automatic one; the empty one stays out
  CHECK(counts.verdict_count(Verdict::mixed) == 0);
  CHECK(counts.entries == 7);
  CHECK(counts.assessed_entries == 6);
}

TEST_CASE("runs and their spread") {
  const auto study = profile_of(worked_study());
  const auto& configuration = study.configurations[0];
  REQUIRE(configuration.runs.size() == 2);
  CHECK(configuration.runs[0].run == "r1");
  CHECK(configuration.runs[0].profile.value(Measure::benefit).value() == Approx(1.0 / 8));
  CHECK(configuration.runs[1].profile.value(Measure::benefit).value() == 0.0);
  const auto spread = configuration.spread(Measure::benefit);
  REQUIRE(spread);
  CHECK(spread->n == 2);
  CHECK(spread->mean == Approx(1.0 / 16));
  CHECK(spread->deviation.value() == Approx(0.125 / std::sqrt(2.0)));
  CHECK(spread->min == 0.0);
  CHECK(spread->max == Approx(0.125));
}

TEST_CASE("an axis is missing when the judge does not assess its signal, never 0") {
  const auto study = profile_of(worked_study(), {false, false});
  const rules::Profile& pooled = study.configurations[0].pooled;
  for (const Measure measure :
       {Measure::relevance, Measure::corroboration, Measure::information_gain, Measure::contradicted}) {
    CHECK_FALSE(pooled.value(measure));
    CHECK_FALSE(study.configurations[0].spread(measure));
  }
  CHECK(pooled.value(Measure::acted_on));
  CHECK(pooled.value(Measure::novelty_null));
  const auto only_accuracy = profile_of(worked_study(), {true, false});
  CHECK(only_accuracy.configurations[0].pooled.value(Measure::information_gain));
  CHECK_FALSE(only_accuracy.configurations[0].pooled.value(Measure::corroboration));
}

TEST_CASE("nulls of a judge that does not assess a signal are in its uncertainty share") {
  Labels labels{{}, {}, Novelty::novel, Influence::acted_on, {}};
  const auto study =
      profile_of({episode("c", "r", {},
                          {span(SpanStatus::judged, {entry("A", labels), entry("B", {})}, {delivery(false, 4, {})})})},
                 {false, false});
  CHECK(study.configurations[0].pooled.value(Measure::relevance_null) == 0.5);
  CHECK(study.configurations[0].pooled.value(Measure::accuracy_null) == 0.5);
  CHECK(study.configurations[0].pooled.value(Measure::effect_null) == 0.5);
}

TEST_CASE("a judge that needs a probe for effects says nothing on benefit where no episode has one") {
  auto records = worked_study();
  const rules::AssessedSignals traced{false, false, true};
  const auto blind = profile_of(records, traced);
  for (const Measure measure : {Measure::benefit, Measure::harm, Measure::beneficial_yield, Measure::harmful_yield,
                                Measure::token_efficiency}) {
    CHECK_FALSE(blind.configurations[0].pooled.value(measure));
  }
  CHECK(blind.configurations[0].pooled.value(Measure::acted_on));
  CHECK(blind.configurations[0].pooled.value(Measure::resolved) == 0.5);
  records[0].episode.has_probe = true;
  const auto seeing = profile_of(records, traced);
  CHECK(seeing.configurations[0].pooled.counts.profiled_spans_with_probe == 1);
  CHECK(seeing.configurations[0].pooled.value(Measure::benefit).value() == Approx((1.0 / 4) / 3));
  CHECK_FALSE(seeing.configurations[0].runs[1].profile.value(Measure::benefit));
}

TEST_CASE("without a profiled span there is no axis, yield or efficiency") {
  const auto study = profile_of(
      {episode("none", "r", true, {}),
       episode("waiting", "r", true, {span(SpanStatus::not_judged, {entry("A", {})}, {delivery(false, 8, {})})})});
  for (const auto& configuration : study.configurations) {
    for (std::size_t m = 0; m < rules::kEntryShareCount; ++m) CHECK_FALSE(configuration.pooled.values[m]);
    CHECK_FALSE(configuration.pooled.value(Measure::beneficial_yield));
    CHECK_FALSE(configuration.pooled.value(Measure::token_efficiency));
    CHECK(configuration.pooled.value(Measure::resolved) == 1.0);
  }
  CHECK_FALSE(study.configurations[0].pooled.value(Measure::restatement_share));
}

TEST_CASE("recorded tokens are used only when all configurations have them") {
  const auto with =
      episode("a", "r", true,
              {span(SpanStatus::judged, {entry("A", kImproved)}, {delivery(false, 40, 7), delivery(true, 0, {})})});
  const auto without =
      episode("b", "r", true, {span(SpanStatus::judged, {entry("A", kImproved)}, {delivery(false, 40, {})})});
  const auto alone = profile_of({with, episode("none", "r", true, {})});
  CHECK(alone.estimator == rules::TokenEstimator::recorded);
  CHECK(name(alone.estimator) == "recorded");
  CHECK(alone.configurations[0].pooled.value(Measure::token_efficiency).value() == Approx(1e6 / 7));
  const auto both = profile_of({with, without});
  CHECK(both.estimator == rules::TokenEstimator::utf8_bytes_4);
  CHECK(name(both.estimator) == "utf8-bytes/4");
  CHECK(both.configurations[0].pooled.value(Measure::token_efficiency).value() == Approx(1e6 / 10));
  CHECK(profile_of({episode("none", "r", true, {})}).estimator == rules::TokenEstimator::utf8_bytes_4);
}

TEST_CASE("an earlier attempt counts nowhere but as set aside; unconsumed deliveries only as such") {
  auto records = worked_study();
  const auto before = profile_of(records);
  auto earlier = records[0];
  earlier.episode.retained = false;
  records.push_back(earlier);
  const auto after = profile_of(records);
  require_same_bits(before, after);
  CHECK(after.configurations[0].pooled.counts.attempts_set_aside == 1);
  records[1].unconsumed.push_back(delivery(false, 400, 9));
  const auto with_unconsumed = profile_of(records);
  require_same_bits(before, with_unconsumed);
  CHECK(with_unconsumed.configurations[0].pooled.counts.unconsumed == 1);
  CHECK(with_unconsumed.configurations[0].pooled.counts.deliveries == 8);
}

TEST_CASE("recurring items are counted per run and store, once per episode") {
  std::vector<EpisodeSpansRecord> records;
  const auto add = [&records](const std::string& run, const std::string& store, int episodes) {
    for (int i = 0; i < episodes; ++i) {
      auto record = episode("c", run, true,
                            {span(SpanStatus::automatic, {entry("A", {}), entry("A", {}), entry({}, {})}, {}),
                             span(SpanStatus::automatic, {entry("A", {})}, {})});
      record.episode.store = store;
      records.push_back(record);
    }
  };
  add("r1", "s", 50);
  add("r2", "s", 49);
  add("r3", "s", 30);
  add("r3", "t", 30);
  add("r4", "s", 51);
  const auto study = profile_of(records);
  CHECK(study.configurations[0].pooled.counts.recurring_items == 2);
  CHECK(study.configurations[0].runs[0].profile.counts.recurring_items == 1);
  CHECK(study.configurations[0].runs[1].profile.counts.recurring_items == 0);
  CHECK(study.configurations[0].runs[2].profile.counts.recurring_items == 0);
  CHECK(study.configurations[0].runs[3].profile.counts.recurring_items == 1);
}

TEST_CASE("reasons of unresolved spans are counted") {
  auto refused = span(SpanStatus::unresolved, {entry("A", {})}, {});
  refused.unresolved_reason = "quote not found";
  auto other = refused;
  other.unresolved_reason = "budget";
  const auto study = profile_of({episode("c", "r1", true, {refused, other}), episode("c", "r2", true, {refused})});
  const auto& reasons = study.configurations[0].pooled.unresolved_reasons;
  CHECK(reasons == std::map<std::string, std::uint64_t>{{"budget", 1}, {"quote not found", 2}});
}

namespace {

EpisodeSpansRecord random_episode(std::mt19937_64& random) {
  const auto pick = [&random](std::uint64_t below) { return static_cast<int>(random() % below); };
  const auto maybe = [&](int count) { return pick(static_cast<std::uint64_t>(count) + 1) - 1; };
  std::vector<SpanRecord> spans;
  for (int s = pick(5); s > 0; --s) {
    const auto status = static_cast<SpanStatus>(pick(5));
    SpanRecord one = span(status, {}, {});
    one.unresolved_reason = pick(2) == 0 ? "x" : "y";
    const int entries = status == SpanStatus::empty ? 0 : 1 + pick(9);
    for (int e = 0; e < entries; ++e) {
      Labels labels;
      if (const int v = maybe(2); v >= 0) labels.relevance = v == 1;
      if (const int v = maybe(3); v >= 0) labels.accuracy = static_cast<Accuracy>(v);
      if (const int v = maybe(3); v >= 0) labels.novelty = static_cast<Novelty>(v);
      if (const int v = maybe(4); v >= 0) labels.influence = static_cast<Influence>(v);
      if (labels.influence == Influence::acted_on) {
        if (const int v = maybe(3); v >= 0) labels.effect = static_cast<Effect>(v);
      }
      const bool assessed = status == SpanStatus::judged && (e == 0 || pick(3) > 0);
      one.entries.push_back(entry("item " + std::to_string(pick(4)), assessed ? std::optional(labels) : std::nullopt));
    }
    for (int d = 1 + pick(3); d > 0; --d) {
      one.deliveries.push_back(delivery(d > 1, static_cast<std::uint64_t>(pick(500)), {}));
    }
    spans.push_back(one);
  }
  std::optional<bool> resolved;
  if (const int v = maybe(2); v >= 0) resolved = v == 1;
  auto record = episode("c" + std::to_string(pick(3)), "r" + std::to_string(pick(3)), resolved, spans);
  record.episode.retained = pick(8) > 0;
  return record;
}

/// Mean share of one run or configuration, computed the obvious way in long double.
std::optional<double> slow_mean(const std::vector<EpisodeSpansRecord>& study, const std::string& configuration,
                                const std::string& run, bool (*property)(const Labels&)) {
  long double sum = 0;
  int spans = 0;
  for (const auto& record : study) {
    if (!record.episode.retained || record.episode.configuration != configuration) continue;
    if (!run.empty() && record.episode.run != run) continue;
    for (const auto& one : record.spans) {
      if (one.status != SpanStatus::judged) continue;
      ++spans;
      int with = 0;
      for (const auto& e : one.entries) with += e.answer && property(e.answer->labels) ? 1 : 0;
      sum += static_cast<long double>(with) / static_cast<long double>(one.entries.size());
    }
  }
  if (spans == 0) return std::nullopt;
  return static_cast<double>(sum / spans);
}

}  // namespace

TEST_CASE("random studies: equal to the slow reference, and the same bits in any order and any split") {
  const std::pair<Measure, bool (*)(const Labels&)> properties[] = {
      {Measure::relevance, [](const Labels& l) { return l.relevance && *l.relevance; }},
      {Measure::corroboration,
       [](const Labels& l) {
         return l.relevance && *l.relevance && l.accuracy && *l.accuracy == Accuracy::corroborated;
       }},
      {Measure::information_gain,
       [](const Labels& l) { return l.relevance && *l.relevance && l.novelty && *l.novelty != Novelty::redundant; }},
      {Measure::acted_on, [](const Labels& l) { return l.influence && *l.influence == Influence::acted_on; }},
      {Measure::benefit, [](const Labels& l) { return l.effect && *l.effect == Effect::improved; }},
      {Measure::harm, [](const Labels& l) { return l.effect && *l.effect == Effect::harmed; }},
      {Measure::contradicted, [](const Labels& l) { return l.accuracy && *l.accuracy == Accuracy::contradicted; }},
      {Measure::novelty_null, [](const Labels& l) { return !l.novelty.has_value(); }},
      {Measure::influence_null, [](const Labels& l) { return !l.influence.has_value(); }},
      {Measure::effect_null,
       [](const Labels& l) { return l.influence && *l.influence == Influence::acted_on && !l.effect; }},
      {Measure::relevance_null, [](const Labels& l) { return !l.relevance.has_value(); }},
      {Measure::accuracy_null, [](const Labels& l) { return !l.accuracy.has_value(); }},
  };
  std::mt19937_64 random(20240601);
  for (int round = 0; round < 60; ++round) {
    std::vector<EpisodeSpansRecord> records;
    for (std::uint64_t i = random() % 60; i > 0; --i) records.push_back(random_episode(random));
    const auto study = profile_of(records);
    for (const auto& configuration : study.configurations) {
      for (const auto& [measure, property] : properties) {
        // Named, since clang 14 lets no lambda capture a structured binding.
        const auto& has_property = property;
        const auto check = [&](const std::string& run, std::optional<double> got) {
          const auto expected = slow_mean(records, configuration.configuration, run, has_property);
          REQUIRE(got.has_value() == expected.has_value());
          if (got) REQUIRE(*got == Approx(*expected).margin(1e-12));
        };
        check("", configuration.pooled.value(measure));
        for (const auto& run : configuration.runs) check(run.run, run.profile.value(measure));
      }
      const auto& counts = configuration.pooled.counts;
      std::uint64_t verdicts = 0;
      for (const std::uint64_t count : counts.verdicts) verdicts += count;
      REQUIRE(verdicts == counts.triaged());
    }

    auto shuffled = records;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    require_same_bits(study, profile_of(shuffled));

    rules::StudyTally parts[3];
    for (const auto& record : shuffled) parts[random() % 3].add(record);
    parts[1].merge(parts[2]);
    parts[1].merge(parts[0]);
    require_same_bits(study, parts[1].finish({}));
  }
}

TEST_CASE("measures: the table is complete and in the order of the enum") {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < rules::kMeasureCount; ++i) {
    const auto& measure = rules::measures()[i];
    CHECK(static_cast<std::size_t>(measure.measure) == i);
    CHECK_FALSE(measure.definition.empty());
    keys.insert(measure.key);
  }
  CHECK(keys.size() == rules::kMeasureCount);
}
