#include "stats/binomial_intervals.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace memuse::stats;

namespace {

/// P(X <= hits) for a binomial count, added up term by term: slow and independent of Boost.
double at_most(std::uint64_t hits, std::uint64_t trials, double share) {
  double sum = 0.0;
  for (std::uint64_t i = 0; i <= hits; ++i)
    sum += std::exp(std::lgamma(static_cast<double>(trials) + 1) - std::lgamma(static_cast<double>(i) + 1) -
                    std::lgamma(static_cast<double>(trials - i) + 1) + static_cast<double>(i) * std::log(share) +
                    static_cast<double>(trials - i) * std::log1p(-share));
  return sum;
}

void check_rounded(const std::optional<Interval>& interval, double low, double high) {
  REQUIRE(interval);
  CHECK(std::round(interval->low * 1e4) / 1e4 == Approx(low).margin(1e-9));
  CHECK(std::round(interval->high * 1e4) / 1e4 == Approx(high).margin(1e-9));
}

}  // namespace

// Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods", 1998, Table I.
TEST_CASE("Wilson: published examples") {
  check_rounded(wilson_interval(81, 263), 0.2553, 0.3662);
  check_rounded(wilson_interval(15, 148), 0.0624, 0.1605);
  check_rounded(wilson_interval(0, 20), 0.0, 0.1611);
  check_rounded(wilson_interval(1, 29), 0.0061, 0.1718);
}

TEST_CASE("Clopper-Pearson: published examples") {
  check_rounded(clopper_pearson_interval(81, 263), 0.2527, 0.3676);
  check_rounded(clopper_pearson_interval(15, 148), 0.0578, 0.1617);
  check_rounded(clopper_pearson_interval(0, 20), 0.0, 0.1684);
  check_rounded(clopper_pearson_interval(1, 29), 0.0009, 0.1776);
}

TEST_CASE("intervals of a proportion: borders, order and symmetry") {
  for (std::uint64_t trials : {1U, 2U, 7U, 30U, 1000U})
    for (std::uint64_t hits = 0; hits <= trials; hits += (trials > 30 ? 37 : 1)) {
      const double share = static_cast<double>(hits) / static_cast<double>(trials);
      for (const auto& make : {wilson_interval, clopper_pearson_interval}) {
        const auto interval = make(hits, trials, 0.95);
        const auto mirrored = make(trials - hits, trials, 0.95);
        REQUIRE((interval && mirrored));
        CHECK((interval->low >= 0.0 && interval->low <= share && share <= interval->high && interval->high <= 1.0));
        CHECK((interval->low == 0.0) == (hits == 0));
        CHECK((interval->high == 1.0) == (hits == trials));
        CHECK(interval->low == Approx(1.0 - mirrored->high).margin(1e-12));
        const auto wider = make(hits, trials, 0.99);
        CHECK((wider->low <= interval->low && wider->high >= interval->high));
      }
    }
}

TEST_CASE("the ends of Clopper-Pearson leave a tail of 2.5 % each") {
  for (std::uint64_t hits = 1; hits < 40; ++hits) {
    const auto interval = clopper_pearson_interval(hits, 40);
    REQUIRE(interval);
    CHECK(at_most(hits, 40, interval->high) == Approx(0.025).epsilon(1e-9));
    CHECK(1.0 - at_most(hits - 1, 40, interval->low) == Approx(0.025).epsilon(1e-9));
  }
}

TEST_CASE("intervals of a proportion: nothing without trials, or with more successes than trials") {
  CHECK_FALSE(wilson_interval(0, 0));
  CHECK_FALSE(clopper_pearson_interval(0, 0));
  CHECK_FALSE(wilson_interval(3, 2));
  CHECK_FALSE(clopper_pearson_interval(3, 2));
}
