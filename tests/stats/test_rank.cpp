#include "stats/rank.h"

#include <catch2/catch.hpp>
#include <limits>

#include "stats/random.h"

using namespace memuse::stats;
using Values = std::vector<double>;

TEST_CASE("ranks share ties") {
  CHECK(mid_ranks(Values{10, 30, 20}) == Values{1, 3, 2});
  CHECK(mid_ranks(Values{5, 5, 1, 5}) == Values{3, 3, 1, 3});
  CHECK(mid_ranks(Values{}).empty());
}

TEST_CASE("Spearman: published example") {
  // Wikipedia, "Spearman's rank correlation coefficient": intelligence quotient and hours of television, -29/165.
  const Values quotient{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const Values hours{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  CHECK(*spearman_rho(quotient, hours) == Approx(-29.0 / 165.0).epsilon(1e-12));
}

TEST_CASE("Kendall: published examples") {
  // Hollander and Wolfe 1973, p. 185, tuna lightness and panel score (also the example of R's cor.test): 26 of 36 pairs
  // concordant, tau = 0.444.
  const Values lightness{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1};
  const Values score{2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8};
  CHECK(*kendall_tau(lightness, score) == Approx(16.0 / 36.0).epsilon(1e-12));
  // With ties; documentation of scipy.stats.kendalltau.
  CHECK(*kendall_tau(Values{12, 2, 1, 12, 2}, Values{1, 4, 7, 1, 0}) == Approx(-0.47140452079103173).epsilon(1e-12));
}

TEST_CASE("rank correlations: same order is 1, reversed -1, sides may be swapped, only order counts") {
  RandomStream random(5, 0);
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = 2 + random.below(9);
    Values a(size);
    Values b(size);
    for (double& value : a) value = random.below(6);
    for (double& value : b) value = random.below(6);
    a[0] = -1.0;
    b[0] = -1.0;
    Values negated(size);
    Values cubed(size);
    for (std::size_t i = 0; i < size; ++i) {
      negated[i] = -a[i];
      cubed[i] = a[i] * a[i] * a[i] + 4.0;
    }
    for (const auto& correlation : {spearman_rho, kendall_tau}) {
      CHECK(*correlation(a, a) == 1.0);
      CHECK(*correlation(a, negated) == -1.0);
      CHECK(*correlation(a, b) == *correlation(b, a));
      CHECK(*correlation(cubed, b) == *correlation(a, b));
      CHECK((*correlation(a, b) >= -1.0 && *correlation(a, b) <= 1.0));
    }
  }
}

TEST_CASE("rank correlations: nothing where there is no order to compare") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& correlation : {spearman_rho, kendall_tau}) {
    CHECK_FALSE(correlation(Values{}, Values{}));
    CHECK_FALSE(correlation(Values{1}, Values{1}));
    CHECK_FALSE(correlation(Values{1, 2}, Values{1, 2, 3}));
    CHECK_FALSE(correlation(Values{1, 1, 1}, Values{1, 2, 3}));
    CHECK_FALSE(correlation(Values{1, 2, 3}, Values{4, 4, 4}));
    CHECK_FALSE(correlation(Values{1, nan, 3}, Values{1, 2, 3}));
    CHECK(*correlation(Values{1, infinite, 3}, Values{1, 3, 2}) == 1.0);
  }
}
