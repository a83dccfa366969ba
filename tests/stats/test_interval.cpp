#include "stats/interval.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

using namespace memuse::stats;

namespace {

std::vector<double> one_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

}  // namespace

TEST_CASE("percentile interval: ranks by hand") {
  CHECK(percentile_interval(one_to(999), 0.95) == Interval{25.0, 975.0});
  CHECK(percentile_interval(one_to(999), 0.90) == Interval{50.0, 950.0});
  // (10,000 + 1) × 0.025 = 250.025: the 250th from either end.
  CHECK(percentile_interval(one_to(10'000), 0.95) == Interval{250.0, 9751.0});
  CHECK(percentile_interval(one_to(39), 0.95) == Interval{1.0, 39.0});
}

TEST_CASE("percentile interval: nothing when there are too few values to reach the tail") {
  CHECK_FALSE(percentile_interval({}, 0.95));
  CHECK_FALSE(percentile_interval(one_to(38), 0.95));
}

TEST_CASE("p by hand") {
  CHECK(two_sided_p(0, 9999, 9999) == Approx(0.0002));
  CHECK(two_sided_p(9999, 9999, 9999) == 1.0);
  // -1, 0, 1, 2: two values at most 0, three at least 0.
  CHECK(*two_sided_p(std::vector<double>{-1, 0, 1, 2}, 0.0) == 1.0);
  CHECK(*two_sided_p(one_to(9), 0.0) == Approx(0.2));
  CHECK(*two_sided_p(one_to(9), 10.0) == Approx(0.2));
  CHECK_FALSE(two_sided_p({}, 0.0));
}

TEST_CASE("BCa without corrections is the percentile interval") {
  const std::vector<double> values = one_to(999);
  CHECK(bca_interval(values, {0.0, 0.0}, 0.95) == percentile_interval(values, 0.95));
}

TEST_CASE("BCa: a positive correction moves both ends up, changed signs mirror the interval") {
  const std::vector<double> values = one_to(999);
  const auto moved = bca_interval(values, {0.2, 0.05}, 0.95);
  const auto plain = percentile_interval(values, 0.95);
  REQUIRE((moved && plain));
  CHECK(moved->low > plain->low);
  CHECK(moved->high > plain->high);
  const auto mirrored = bca_interval(values, {-0.2, -0.05}, 0.95);
  REQUIRE(mirrored);
  CHECK(mirrored->low == 1000.0 - moved->high);
  CHECK(mirrored->high == 1000.0 - moved->low);
}

TEST_CASE("BCa terms: half the resamples below means no bias, and equal ones count half") {
  const std::vector<double> left_out{1.0, 2.0, 3.0};
  CHECK(bca_terms(one_to(9), 5.0, left_out)->bias_correction == Approx(0.0).margin(1e-12));
  CHECK(bca_terms(std::vector<double>(9, 5.0), 5.0, left_out)->bias_correction == Approx(0.0).margin(1e-12));
  CHECK(bca_terms(one_to(9), 5.0, left_out)->acceleration == Approx(0.0).margin(1e-12));
  CHECK(bca_terms(one_to(9), 5.0, std::vector<double>(4, 1.0))->acceleration == 0.0);
  CHECK_FALSE(bca_terms(one_to(9), 0.5, left_out));
  CHECK_FALSE(bca_terms(one_to(9), 9.5, left_out));
  CHECK_FALSE(bca_terms(one_to(9), 5.0, {}));
}
