// Paired estimates against worked values and against an independent implementation in Python.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <random>

#include "controlled/outcomes.h"
#include "controlled/study_builder.h"
#include "stats/python.h"

using namespace memuse;
using controlled::Component;
using controlled::ScorePair;
using test::StudyBuilder;

namespace {

stats::Resampling resampling(std::uint64_t resamples) {
  stats::Resampling how;
  how.resamples = resamples;
  how.seed = 3;
  return how;
}

/// `n11` pairs of two right answers, and so on.
std::vector<ScorePair> pairs(int n11, int n10, int n01, int n00) {
  std::vector<ScorePair> made;
  const auto add = [&](int count, double first, double second) {
    for (int i = 0; i < count; ++i) made.push_back({static_cast<std::uint32_t>(made.size()), first, second});
  };
  add(n11, 1, 1);
  add(n10, 1, 0);
  add(n01, 0, 1);
  add(n00, 0, 0);
  return made;
}

}  // namespace

TEST_CASE("worked by hand: 10 instances, 4 and 1 discordant") {
  const auto result = controlled::estimate(pairs(3, 4, 1, 2), resampling(500));
  REQUIRE(result);
  CHECK(result->n == 10);
  CHECK(result->first == Approx(0.7));
  CHECK(result->second == Approx(0.4));
  CHECK(result->difference == Approx(0.3));
  CHECK(result->only_first == 4);
  CHECK(result->only_second == 1);
  CHECK(result->p == Approx(2.0 * (1 + 5) / 32.0));  // binomial(5, 1/2): P(X <= 1) = 6/32
  CHECK(result->binary);
  REQUIRE(result->difference_interval);
  CHECK(result->difference_interval->low <= result->difference);
  CHECK(result->difference_interval->high >= result->difference);
}

TEST_CASE("swapping the sides changes signs and nothing else") {
  const auto one = *controlled::estimate(pairs(30, 14, 9, 22), resampling(400));
  const auto other = *controlled::estimate(pairs(30, 9, 14, 22), resampling(0));
  CHECK(one.difference == -other.difference);
  CHECK(one.p == other.p);
  std::vector<ScorePair> swapped = pairs(30, 14, 9, 22);
  for (ScorePair& pair : swapped) std::swap(pair.first, pair.second);
  const auto mirrored = *controlled::estimate(swapped, resampling(400));
  CHECK(mirrored.difference_interval->low == -one.difference_interval->high);
  CHECK(*mirrored.first_interval == *one.second_interval);
}

TEST_CASE("graded scores make it a sign test, no resamples make no interval, no pairs make nothing") {
  const auto graded = *controlled::estimate({{0, 0.5, 0.25}, {1, 1.0, 1.0}, {2, 0.0, 0.75}}, resampling(0));
  CHECK_FALSE(graded.binary);
  CHECK(graded.only_first == 1);
  CHECK(graded.only_second == 1);
  CHECK_FALSE(graded.difference_interval);
  CHECK_FALSE(controlled::estimate({}, resampling(100)));
  CHECK_FALSE(controlled::estimate(pairs(1, 0, 0, 0), resampling(100))->difference_interval);
}

TEST_CASE("the same scores in another order are a tie, and graded wins make the sign test's p") {
  const double forward = (0.1 + 0.2 + 0.3) / 3.0;
  const double backward = (0.3 + 0.2 + 0.1) / 3.0;
  REQUIRE(forward != backward);
  const auto tie = *controlled::estimate({{0, forward, backward}, {1, backward, forward}}, resampling(0));
  CHECK(tie.only_first == 0);
  CHECK(tie.only_second == 0);
  const auto graded =
      *controlled::estimate({{0, 0.5, 0.25}, {1, 0.5, 0.25}, {2, 0.75, 0.5}, {3, 1.0, 0.5}}, resampling(0));
  CHECK(graded.only_first == 4);
  CHECK(graded.p == Approx(0.125));  // 2 / 2^4
}

TEST_CASE("McNemar and Holm over declared comparisons equal exact fractions in Python") {
  MEMUSE_NEEDS_PYTHON();
  StudyBuilder builder;
  std::mt19937 random(11);
  for (std::size_t s = 0; s < 5; ++s) builder.strategy("s" + std::to_string(s));
  std::vector<std::vector<int>> right(5);
  for (std::size_t s = 0; s < 5; ++s) {
    for (int i = 0; i < 60; ++i) {
      right[s].push_back(random() % 100 < 45U + 10U * s ? 1 : 0);
      builder.answer(s, fmt::format("q{:03}", i), right[s].back());
    }
    if (s > 0) builder.compare(0, s, Component::memory_method);
  }
  const auto study = builder.study(0);
  std::string table;
  for (const auto& row : right) table += fmt::format("{}[{}]", table.empty() ? "" : ",", fmt::join(row, ","));
  const nlohmann::json expected = test::python_json(
      "import json\n"
      "from fractions import Fraction as F\n"
      "from math import comb\n"
      "right = [" +
      table +
      "]\n"
      "def p(a, b):\n"
      "  up = sum(x > y for x, y in zip(a, b)); down = sum(x < y for x, y in zip(a, b)); n = up + down\n"
      "  return min(F(1), F(2 * sum(comb(n, i) for i in range(min(up, down) + 1)), 2 ** n))\n"
      "ps = [p(right[0], other) for other in right[1:]]\n"
      "adjusted = [None] * len(ps); worst = F(0)\n"
      "for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):\n"
      "  worst = max(worst, min(F(1), (len(ps) - rank) * ps[i])); adjusted[i] = worst\n"
      "print(json.dumps([[float(a), float(b)] for a, b in zip(ps, adjusted)]))");
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(study.comparisons[i].estimates[0]->p == Approx(expected[i][0].get<double>()).epsilon(1e-11));
    CHECK(*study.comparisons[i].estimates[0]->p_holm == Approx(expected[i][1].get<double>()).epsilon(1e-11));
  }
}

TEST_CASE("bootstrap intervals agree with an independent paired bootstrap in Python") {
  MEMUSE_NEEDS_PYTHON();
  // Enough instances that the interval's ends differ by Monte Carlo noise and by the step of 1/200 only.
  const auto result = *controlled::estimate(pairs(80, 40, 20, 60), resampling(20'000));
  const nlohmann::json expected = test::python_json(
      "import json, random\n"
      "random.seed(5)\n"
      "pairs = [(1, 1)] * 80 + [(1, 0)] * 40 + [(0, 1)] * 20 + [(0, 0)] * 60\n"
      "first, second, difference = [], [], []\n"
      "for _ in range(4000):\n"
      "  drawn = random.choices(pairs, k=200)\n"
      "  a = sum(x for x, _ in drawn) / 200; b = sum(y for _, y in drawn) / 200\n"
      "  first.append(a); second.append(b); difference.append(a - b)\n"
      "ends = lambda v: (sorted(v)[99], sorted(v)[-100])\n"
      "print(json.dumps([ends(first), ends(second), ends(difference)]))");
  const std::array intervals{*result.first_interval, *result.second_interval, *result.difference_interval};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(intervals[i].low == Approx(expected[i][0].get<double>()).margin(0.0101));
    CHECK(intervals[i].high == Approx(expected[i][1].get<double>()).margin(0.0101));
  }
}
