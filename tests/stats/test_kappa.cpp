#include "stats/kappa.h"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>

#include "stats/bootstrap.h"
#include "stats/random.h"

using namespace memuse::stats;

namespace {

ConfusionMatrix transposed(const ConfusionMatrix& matrix) {
  ConfusionMatrix result(matrix.categories());
  for (std::size_t i = 0; i < matrix.categories(); ++i)
    for (std::size_t j = 0; j < matrix.categories(); ++j) result.add(j, i, matrix.count(i, j));
  return result;
}

}  // namespace

TEST_CASE("kappa: published example of diagnoses") {
  // Fleiss, Levin and Paik, "Statistical methods for rates and proportions", 2003, Table 18.1: 100 subjects, psychotic,
  // neurotic, organic; agreement 0.89, kappa 0.68.
  const ConfusionMatrix matrix(3, std::array<double, 9>{75, 1, 4, 5, 4, 1, 0, 0, 10});
  CHECK(matrix.n() == 100.0);
  CHECK(*matrix.agreement() == 0.89);
  // By hand: expected agreement 0.8 × 0.8 + 0.1 × 0.05 + 0.1 × 0.15 = 0.66.
  CHECK(*cohen_kappa(matrix) == Approx((0.89 - 0.66) / (1.0 - 0.66)).epsilon(1e-12));
}

TEST_CASE("kappa: published example with weights") {
  // Agresti 1990, husbands' and wives' ratings; the example of Kappa in the R package vcd: 0.1293 and 0.2374.
  const ConfusionMatrix matrix(4, std::array<double, 16>{7, 7, 2, 3, 2, 8, 3, 7, 1, 5, 4, 9, 2, 8, 9, 14});
  CHECK(*cohen_kappa(matrix) == Approx(0.1293).margin(5e-5));
  CHECK(*linear_weighted_kappa(matrix) == Approx(0.2374).margin(5e-5));
}

TEST_CASE("kappa: a null category counts in the plain one and is taken out of the weighted one") {
  ConfusionMatrix matrix(4);  // none, referenced, acted_on, null
  matrix.add(0, 0);
  matrix.add(0, 1);
  matrix.add(2, 2);
  matrix.add(3, 2);
  matrix.add(3, 3);
  CHECK(*matrix.agreement() == 0.6);
  const std::array<std::size_t, 3> ordered{0, 1, 2};
  const ConfusionMatrix part = matrix.restricted_to(ordered);
  CHECK(part.n() == 3.0);
  // By hand: observed disagreement 1/3; expected from lines (2, 0, 1)/3 and columns (1, 1, 1)/3: 9 pairs, distances
  // 2 × (0 + 1 + 2) + 1 × (2 + 1 + 0) = 9 over 9.
  CHECK(*linear_weighted_kappa(part) == Approx(1.0 - (1.0 / 3.0)).epsilon(1e-12));
}

TEST_CASE("kappa: nothing without pairs or when one category is all there is") {
  CHECK_FALSE(cohen_kappa(ConfusionMatrix(3)));
  CHECK_FALSE(ConfusionMatrix(3).agreement());
  CHECK_FALSE(cohen_kappa(ConfusionMatrix(0)));
  ConfusionMatrix one(3);
  one.add(1, 1, 12);
  CHECK(*one.agreement() == 1.0);
  CHECK_FALSE(cohen_kappa(one));
  CHECK_FALSE(linear_weighted_kappa(one));
  one.add(1, 2);
  CHECK(*cohen_kappa(one) == 0.0);
}

TEST_CASE("kappa: sides may be swapped; two categories need no weights; a perfect table gives 1") {
  RandomStream random(3, 0);
  for (std::size_t round = 0; round < 200; ++round) {
    ConfusionMatrix matrix(2 + round % 4);
    for (int pair = 0; pair < 30; ++pair)
      matrix.add(random.below(static_cast<std::uint32_t>(matrix.categories())),
                 random.below(static_cast<std::uint32_t>(matrix.categories())));
    CHECK(*cohen_kappa(matrix) == *cohen_kappa(transposed(matrix)));
    CHECK(*linear_weighted_kappa(matrix) == *linear_weighted_kappa(transposed(matrix)));
    if (matrix.categories() == 2) CHECK(*cohen_kappa(matrix) == *linear_weighted_kappa(matrix));
    ConfusionMatrix perfect(matrix.categories());
    for (std::size_t i = 0; i < perfect.categories(); ++i) perfect.add(i, i, 1.0 + static_cast<double>(i));
    CHECK(*cohen_kappa(perfect) == 1.0);
    CHECK(*linear_weighted_kappa(perfect) == 1.0);
  }
}

TEST_CASE("kappa can be resampled by episode") {
  RandomStream random(9, 0);
  RowsByCluster rows(9);
  ConfusionMatrix all(3);
  for (int episode = 0; episode < 60; ++episode)
    for (int entry = 0; entry < 4; ++entry) {
      const std::uint32_t first = random.below(3);
      const std::uint32_t second = random.below(10) < 7 ? first : random.below(3);
      ConfusionMatrix pair(3);
      pair.add(first, second);
      all.add(first, second);
      rows.add("episode " + std::to_string(episode), pair.counts());
    }
  const auto kappa = [](std::span<const double> sums) { return cohen_kappa(ConfusionMatrix(3, sums)); };
  const auto estimate = bootstrap(rows.sums(), kappa, {.resamples = 2000, .seed = 1});
  REQUIRE((estimate && estimate->interval));
  CHECK(estimate->value == *cohen_kappa(all));
  CHECK(estimate->interval->low < estimate->value);
  CHECK(estimate->interval->high > estimate->value);
  // About what the large-sample standard error for 240 independent pairs gives (0.044 each side of the middle, times
  // 2).
  CHECK(estimate->interval->high - estimate->interval->low == Approx(0.165).margin(0.05));
}
