#include "stats/holm.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "stats/random.h"

using namespace memuse::stats;

namespace {

using Values = std::vector<std::optional<double>>;

/// The rejections of Holm's procedure at one level, step by step as in the paper.
std::vector<bool> rejected(const std::vector<double>& p_values, double level) {
  std::vector<bool> rejections(p_values.size(), false);
  for (std::size_t left = p_values.size(); left > 0; --left) {
    std::size_t smallest = p_values.size();
    for (std::size_t i = 0; i < p_values.size(); ++i)
      if (!rejections[i] && (smallest == p_values.size() || p_values[i] < p_values[smallest])) smallest = i;
    if (static_cast<double>(left) * p_values[smallest] > level) break;
    rejections[smallest] = true;
  }
  return rejections;
}

}  // namespace

TEST_CASE("Holm: worked example") {
  // Wikipedia, "Holm-Bonferroni method": four hypotheses; at 0.05 the fourth and the first are rejected.
  const auto adjusted = holm_adjusted(Values{0.01, 0.04, 0.03, 0.005});
  REQUIRE(adjusted.size() == 4);
  CHECK(*adjusted[0] == Approx(0.03));
  CHECK(*adjusted[1] == Approx(0.06));
  CHECK(*adjusted[2] == Approx(0.06));
  CHECK(*adjusted[3] == Approx(0.02));
}

TEST_CASE("Holm: absent values stay absent and do not count") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto adjusted = holm_adjusted(Values{std::nullopt, 0.02, nan, 0.03});
  CHECK_FALSE(adjusted[0]);
  CHECK(*adjusted[1] == 0.04);
  CHECK_FALSE(adjusted[2]);
  CHECK(*adjusted[3] == 0.04);
  CHECK(holm_adjusted(Values{}).empty());
  CHECK_FALSE(holm_adjusted(Values{std::nullopt})[0]);
}

TEST_CASE("Holm: a value never shrinks nor exceeds 1, and equal values stay equal") {
  const auto adjusted = holm_adjusted(Values{0.5, 0.5, 0.9, 1.0});
  CHECK(*adjusted[0] == 1.0);
  CHECK(*adjusted[1] == 1.0);
  CHECK(*adjusted[2] == 1.0);
  CHECK(*holm_adjusted(Values{0.2})[0] == 0.2);
}

TEST_CASE("Holm: adjusted values reject what the stepwise procedure rejects, in any order of input") {
  RandomStream random(11, 0);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> p_values(1 + random.below(12));
    for (double& p : p_values) p = std::pow(random.unit(), 3.0);
    const auto adjusted = holm_adjusted(Values(p_values.begin(), p_values.end()));
    const std::vector<bool> expected = rejected(p_values, 0.05);
    for (std::size_t i = 0; i < p_values.size(); ++i) {
      CHECK((*adjusted[i] <= 0.05) == expected[i]);
      CHECK(*adjusted[i] >= p_values[i]);
    }
    std::vector<double> reversed(p_values.rbegin(), p_values.rend());
    auto of_reversed = holm_adjusted(Values(reversed.begin(), reversed.end()));
    std::reverse(of_reversed.begin(), of_reversed.end());
    CHECK(of_reversed == adjusted);
  }
}

TEST_CASE("Holm: families are adjusted apart") {
  const std::vector<FamilyTest> tests{{"H1", 0.01}, {"H2", 0.01}, {"H1", 0.04}, {"H2", std::nullopt}, {"H3", 0.5}};
  const auto adjusted = holm_adjusted_by_family(tests);
  CHECK(*adjusted[0] == 0.02);
  CHECK(*adjusted[1] == 0.01);
  CHECK(*adjusted[2] == 0.04);
  CHECK_FALSE(adjusted[3]);
  CHECK(*adjusted[4] == 0.5);
}
