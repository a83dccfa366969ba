#include "agreement/agreement.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "stats/krippendorff.h"

using namespace memuse;
using namespace memuse::agreement;
using Answers = std::vector<std::optional<Labels>>;

namespace {

Labels influence(std::optional<Influence> value) {
  Labels labels;
  labels.relevance = true;
  labels.influence = value;
  return labels;
}

constexpr stats::Resampling kNoIntervals{0, 0, stats::IntervalMethod::percentile, 0.95};

const SignalAgreement& of(const PairAgreement& pair, Signal signal) {
  return pair.signals.at(static_cast<std::size_t>(signal));
}

/// Ten entries of two episodes, worked by hand below.
AgreementTally worked_example() {
  AgreementTally tally({{"a"}, {"b"}});
  const auto add = [&](std::optional<Influence> first, std::optional<Influence> second, int times = 1) {
    for (int i = 0; i < times; ++i)
      tally.add(std::array{std::optional(influence(first)), std::optional(influence(second))});
  };
  tally.begin_episode(false);
  add(Influence::none, Influence::none, 3);
  add(Influence::selected, Influence::acted_on);
  add(std::nullopt, Influence::none);
  tally.begin_episode(false);
  add(Influence::acted_on, Influence::acted_on, 3);
  add(Influence::none, Influence::referenced);
  add(std::nullopt, std::nullopt);
  return tally;
}

}  // namespace

TEST_CASE("agreement of two raters, worked by hand") {
  const Agreement agreement = worked_example().finish(kNoIntervals);
  REQUIRE(agreement.pairs.size() == 1);
  CHECK(agreement.joint.empty());
  const SignalAgreement& signal = of(agreement.pairs[0], Signal::influence);
  CHECK(signal.n == 10);
  CHECK(signal.episodes == 2);
  CHECK(signal.agreement.value == Approx(0.7));
  // First: none 4, selected 1, acted_on 3, null 2; second: none 4, referenced 1, acted_on 4, null 1. Chance: (16 + 12 +
  // 2) / 100.
  CHECK(*signal.kappa.value == Approx((0.7 - 0.3) / (1 - 0.3)));
  // Without the two entries with a null: disagreement 2 of 8 observed, 96 of 64 expected.
  CHECK(*signal.weighted_kappa.value == Approx(1 - (2.0 / 8) / (96.0 / 64)));
  // Ratings: none 8, referenced 1, selected 1, acted_on 7, null 3; three unequal pairs.
  CHECK(*signal.alpha.value == Approx(1 - 19.0 * 3 / 138));
  CHECK(!signal.kappa.interval);
  CHECK(signal.confusion.count(2, 3) == 1);
  CHECK(signal.confusion.count(4, 0) == 1);
  CHECK(signal.confusion.count(0, 4) == 0);
}

TEST_CASE("raters who only ever say the same have an agreement and no kappa") {
  const Agreement agreement = worked_example().finish(kNoIntervals);
  const SignalAgreement& relevance = of(agreement.pairs[0], Signal::relevance);
  CHECK(relevance.agreement.value == 1.0);
  CHECK(!relevance.kappa.value);
  CHECK(!relevance.weighted_kappa.value);
}

TEST_CASE("entries that one rater alone answered are counted and not compared") {
  AgreementTally tally({{"a"}, {"b"}, {"c"}});
  tally.begin_episode(false);
  const Labels labels = influence(Influence::none);
  tally.add(Answers{labels, labels, std::nullopt});
  tally.add(Answers{labels, std::nullopt, std::nullopt});
  tally.add(Answers{std::nullopt, labels, labels});
  tally.add(Answers{std::nullopt, std::nullopt, std::nullopt});
  const Agreement agreement = tally.finish(kNoIntervals);
  CHECK(agreement.answered == std::vector<std::uint64_t>{2, 2, 1});
  REQUIRE(agreement.pairs.size() == 3);
  CHECK(agreement.pairs[0].both == 1);
  CHECK(agreement.pairs[0].only_first == 1);
  CHECK(agreement.pairs[0].only_second == 1);
  CHECK(agreement.pairs[1].both == 0);
  CHECK(of(agreement.pairs[1], Signal::influence).n == 0);
  CHECK(!of(agreement.pairs[1], Signal::influence).agreement.value);
  CHECK(agreement.pairs[2].first == 1);
  CHECK(agreement.pairs[2].second == 2);
  REQUIRE(agreement.joint.size() == 5);
  CHECK(agreement.joint[static_cast<std::size_t>(Signal::influence)].n == 2);
}

TEST_CASE("signals that a rater does not assess are left out") {
  AgreementTally tally({{"judge", false, true, true}, {"a"}, {"b"}});
  Labels labels = influence(Influence::acted_on);
  labels.effect = Effect::improved;
  for (const bool has_probe : {false, true, false}) {
    tally.begin_episode(has_probe);
    tally.add(Answers{labels, labels, labels});
    tally.add(Answers{labels, labels, labels});
  }
  const Agreement agreement = tally.finish(kNoIntervals);
  CHECK(!of(agreement.pairs[0], Signal::relevance).assessed);
  CHECK(of(agreement.pairs[0], Signal::relevance).n == 0);
  CHECK(of(agreement.pairs[0], Signal::accuracy).assessed);
  CHECK(of(agreement.pairs[0], Signal::effect).n == 2);
  CHECK(of(agreement.pairs[0], Signal::effect).episodes == 1);
  CHECK(of(agreement.pairs[0], Signal::influence).n == 6);
  CHECK(of(agreement.pairs[2], Signal::relevance).n == 6);
  CHECK(of(agreement.pairs[2], Signal::effect).n == 6);
  CHECK(agreement.joint[0].raters == 2);
  CHECK(agreement.joint[0].n == 6);
}

TEST_CASE("alpha of several raters is that of all their ratings, whatever the episodes") {
  std::mt19937 random(11);
  AgreementTally tally({{"a"}, {"b"}, {"c"}, {"d"}});
  stats::Coincidences nominal(4);
  stats::Coincidences ordinal(3);
  constexpr std::array<std::optional<Effect>, 4> kEffects{Effect::harmed, Effect::no_effect, Effect::improved, {}};
  for (int episode = 0; episode < 30; ++episode) {
    tally.begin_episode(false);
    for (unsigned entry = 0; entry < random() % 4; ++entry) {
      Answers answers;
      std::vector<std::optional<std::size_t>> all;
      std::vector<std::optional<std::size_t>> ordered;
      for (int rater = 0; rater < 4; ++rater) {
        const std::size_t chosen = random() % 5;
        answers.emplace_back();
        all.emplace_back();
        ordered.emplace_back();
        if (chosen == 4) continue;
        answers.back() = Labels{};
        answers.back()->effect = kEffects[chosen];
        all.back() = chosen;
        if (chosen < 3) ordered.back() = chosen;
      }
      tally.add(answers);
      nominal.add_unit(all);
      ordinal.add_unit(ordered);
    }
  }
  const JointAgreement effect = tally.finish(kNoIntervals).joint.at(static_cast<std::size_t>(Signal::effect));
  CHECK(*effect.alpha.value == Approx(*stats::krippendorff_alpha(nominal.values(), stats::Scale::nominal)));
  CHECK(*effect.ordinal_alpha.value == Approx(*stats::krippendorff_alpha(ordinal.values(), stats::Scale::ordinal)));
}

TEST_CASE("intervals come from episodes, are the same again, and hold the value") {
  std::mt19937 random(5);
  AgreementTally tally({{"a"}, {"b"}});
  constexpr std::array<Influence, 4> kInfluences{Influence::none, Influence::referenced, Influence::selected,
                                                 Influence::acted_on};
  for (int episode = 0; episode < 40; ++episode) {
    tally.begin_episode(false);
    for (int entry = 0; entry < 3; ++entry) {
      const Influence first = kInfluences[random() % 4];
      const Influence second = random() % 3 == 0 ? kInfluences[random() % 4] : first;
      tally.add(Answers{influence(first), influence(second)});
    }
  }
  stats::Resampling resampling;
  resampling.resamples = 500;
  resampling.seed = 7;
  const Agreement agreement = tally.finish(resampling);
  const SignalAgreement& signal = of(agreement.pairs[0], Signal::influence);
  for (const Estimated* estimated : {&signal.agreement, &signal.kappa, &signal.weighted_kappa, &signal.alpha}) {
    REQUIRE(estimated->interval);
    CHECK(estimated->interval->low < *estimated->value);
    CHECK(estimated->interval->high > *estimated->value);
  }
  const Agreement again = tally.finish(resampling);
  CHECK(of(again.pairs[0], Signal::influence).kappa.interval == signal.kappa.interval);
}

TEST_CASE("every label has its category, null last") {
  for (const Signal signal : kSignals) {
    CHECK(scale(signal).categories.back() == "null");
    CHECK(category(signal, Labels{}) == scale(signal).categories.size() - 1);
  }
  const Labels labels{true, Accuracy::contradicted, Novelty::confirming, Influence::selected, Effect::improved};
  CHECK(scale(Signal::relevance).categories[category(Signal::relevance, labels)] == "true");
  CHECK(scale(Signal::accuracy).categories[category(Signal::accuracy, labels)] == "contradicted");
  CHECK(scale(Signal::novelty).categories[category(Signal::novelty, labels)] == "confirming");
  CHECK(scale(Signal::influence).categories[category(Signal::influence, labels)] == "selected");
  CHECK(scale(Signal::effect).categories[category(Signal::effect, labels)] == "improved");
}
