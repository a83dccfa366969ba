#include "stats/mcnemar.h"

#include <catch2/catch.hpp>
#include <string>

#include "stats/python.h"

using namespace memuse;
using stats::mcnemar_exact;

TEST_CASE("McNemar: published examples") {
  // Fagerland, Lydersen and Laake 2013, airway hyper-responsiveness before and after transplantation: 1 and 7, 0.0703.
  CHECK(mcnemar_exact(1, 7) == Approx(18.0 / 256.0).epsilon(1e-14));
  // Agresti, approval of the prime minister; manual of the R package exact2x2: 86 and 150, p = 3.716e-05.
  CHECK(mcnemar_exact(86, 150) == Approx(3.716e-05).epsilon(2e-4));
}

TEST_CASE("McNemar: no discordant instance says nothing; a balanced table neither") {
  CHECK(mcnemar_exact(0, 0) == 1.0);
  CHECK(mcnemar_exact(1, 0) == 1.0);
  CHECK(mcnemar_exact(5, 5) == 1.0);
}

TEST_CASE("McNemar: symmetric, in (0, 1], also for very unequal and very large counts") {
  for (std::uint64_t a = 0; a < 40; ++a)
    for (std::uint64_t b = 0; b < 40; ++b) {
      const double p = mcnemar_exact(a, b);
      CHECK(p == mcnemar_exact(b, a));
      CHECK((p > 0.0 && p <= 1.0));
    }
  CHECK(mcnemar_exact(0, 1'000'000) > 0.0);
  CHECK(mcnemar_exact(500'000, 500'010) == Approx(1.0).epsilon(0.02));
}

TEST_CASE("McNemar equals exact fractions") {
  MEMUSE_NEEDS_PYTHON();
  const nlohmann::json expected = test::python_json(
      "import json\n"
      "from fractions import Fraction\n"
      "from math import comb\n"
      "def p(a, b):\n"
      "  n = a + b\n"
      "  return float(min(Fraction(1), Fraction(2 * sum(comb(n, i) for i in range(min(a, b) + 1)), 2 ** n)))\n"
      "print(json.dumps([[a, b, p(a, b)] for a in range(0, 60, 3) for b in list(range(0, 60, 7)) + [211, 503]]))");
  for (const auto& row : expected)
    CHECK(mcnemar_exact(row[0].get<std::uint64_t>(), row[1].get<std::uint64_t>()) ==
          Approx(row[2].get<double>()).epsilon(1e-11));
}
