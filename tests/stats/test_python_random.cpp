#include "stats/python_random.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "stats/python.h"

using namespace memuse;
using stats::PythonRandom;

TEST_CASE("array seeding gives the published numbers") {
  // mt19937ar.out of Matsumoto and Nishimura: the key {0x123, 0x234, 0x345, 0x456}.
  const std::array<std::uint32_t, 4> keys{0x123, 0x234, 0x345, 0x456};
  stats::ArraySeed sequence(keys);
  std::mt19937 engine(sequence);
  for (const std::uint32_t expected : {1067595299U, 955945823U, 477289528U, 4107218783U, 4228976476U})
    CHECK(engine() == expected);
}

TEST_CASE("random.Random(0) as in Python's documentation of old results") {
  // random.Random(0).random() is 0.8444218515250481: 27 and 26 bits of two outputs.
  PythonRandom random(0);
  const std::uint32_t high = random.bits(32) >> 5U;
  const std::uint32_t low = random.bits(32) >> 6U;
  CHECK((high * 67108864.0 + low) / 9007199254740992.0 == 0.8444218515250481);
}

TEST_CASE("draws equal those of the Python on this machine") {
  MEMUSE_NEEDS_PYTHON();
  const std::vector<std::uint64_t> seeds{0, 1, 42, 4294967295U, 4294967296U, std::numeric_limits<std::uint64_t>::max()};
  const std::vector<std::uint32_t> bounds{1, 2, 3, 9, 30, 32, 300, 1U << 31U, 4294967295U};
  const nlohmann::json expected = test::python_json(
      "import json, random\n"
      "rows = []\n"
      "for seed in [0, 1, 42, 2**32 - 1, 2**32, 2**64 - 1]:\n"
      "  r = random.Random(seed)\n"
      "  rows.append([r.randrange(n) for _ in range(200) for n in [1, 2, 3, 9, 30, 32, 300, 2**31, 2**32 - 1]]\n"
      "              + [r.getrandbits(k) for k in range(1, 33)])\n"
      "print(json.dumps(rows))");
  REQUIRE(expected.size() == seeds.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    PythonRandom random(seeds[i]);
    std::vector<std::uint32_t> drawn;
    for (int round = 0; round < 200; ++round)
      for (const std::uint32_t bound : bounds) drawn.push_back(random.below(bound));
    for (unsigned width = 1; width <= 32; ++width) drawn.push_back(random.bits(width));
    CHECK(drawn == expected[i].get<std::vector<std::uint32_t>>());
  }
}
