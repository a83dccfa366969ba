#include "stats/spread.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "stats/python.h"

using namespace memuse;
using stats::spread_of;

TEST_CASE("spread of a worked example") {
  // By hand: the mean is 5, and the squared distances from it sum to 32.
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const auto spread = spread_of(values);
  REQUIRE(spread);
  CHECK(spread->n == 8);
  CHECK(spread->mean == 5.0);
  CHECK(*spread->deviation == std::sqrt(32.0 / 7.0));
  CHECK(spread->min == 2.0);
  CHECK(spread->max == 9.0);
}

TEST_CASE("no value has no spread, one value no deviation, equal values none") {
  CHECK_FALSE(spread_of({}));
  const auto one = spread_of(std::vector<double>{0.1});
  REQUIRE(one);
  CHECK(one->mean == 0.1);
  CHECK_FALSE(one->deviation);
  const auto equal = spread_of(std::vector<double>(7, 0.1));
  REQUIRE(equal);
  CHECK(equal->mean == 0.1);
  CHECK(*equal->deviation == 0.0);
}

TEST_CASE("spread equals that of Python's exact statistics module") {
  MEMUSE_NEEDS_PYTHON();
  const nlohmann::json expected = test::python_json(
      "import json, random, statistics\n"
      "r = random.Random(3)\n"
      "rows = [[r.gauss(50, 9) for _ in range(n)] for n in range(2, 60)]\n"
      "print(json.dumps([[v, statistics.mean(v), statistics.stdev(v)] for v in rows]))");
  for (const auto& row : expected) {
    const auto spread = spread_of(row[0].get<std::vector<double>>());
    REQUIRE(spread);
    CHECK(spread->mean == Approx(row[1].get<double>()).epsilon(1e-13));
    CHECK(*spread->deviation == Approx(row[2].get<double>()).epsilon(1e-12));
  }
}
