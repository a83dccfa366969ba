#include "stats/quantile.h"

#include <catch2/catch.hpp>
#include <vector>

using memuse::stats::quantile;

TEST_CASE("quantiles interpolate between neighbours as type 7 does") {
  // R: quantile(c(1, 2, 4, 8)) is 1.00 1.75 3.00 5.00 8.00.
  const std::vector<double> four{1, 2, 4, 8};
  CHECK(*quantile(four, 0.0) == 1.0);
  CHECK(*quantile(four, 0.25) == 1.75);
  CHECK(*quantile(four, 0.5) == 3.0);
  CHECK(*quantile(four, 0.75) == 5.0);
  CHECK(*quantile(four, 1.0) == 8.0);
  const std::vector<double> five{0, 2, 2, 3, 8};
  CHECK(*quantile(five, 0.25) == 2.0);
  CHECK(*quantile(five, 0.5) == 2.0);
  CHECK(*quantile(five, 0.75) == 3.0);
}

TEST_CASE("the quantile of one value is that value and of none is nothing") {
  const std::vector<double> one{7};
  for (const double share : {0.0, 0.3, 1.0}) CHECK(*quantile(one, share) == 7.0);
  CHECK_FALSE(quantile({}, 0.5));
}
