#include "stats/random.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

using memuse::stats::RandomStream;
using memuse::stats::SplitMix64;

TEST_CASE("SplitMix64 gives the published numbers") {
  // Rosetta Code, "Pseudo-random numbers/Splitmix64", seed 1234567.
  SplitMix64 random(1234567);
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
  CHECK(random.next() == 9817491932198370423U);
  CHECK(random.next() == 4593380528125082431U);
  CHECK(random.next() == 16408922859458223821U);
}

TEST_CASE("a stream gives the published numbers of xoshiro256++") {
  // Test vector of the crate rand_xoshiro, made with the authors' C code.
  RandomStream random(RandomStream::State{1, 2, 3, 4});
  for (const std::uint64_t expected : {41943041U, 58720359U}) CHECK(random.next() == expected);
  for (const std::uint64_t expected :
       {3588806011781223U, 3591011842654386U, 9228616714210784205U, 9973669472204895162U, 14011001112246962877U,
        12406186145184390807U, 15849039046786891736U, 10450023813501588000U})
    CHECK(random.next() == expected);
}

TEST_CASE("a stream is a function of seed and index; different ones differ") {
  std::set<std::uint64_t> first_numbers;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (std::uint64_t index = 0; index < 40; ++index) {
      RandomStream stream(seed, index);
      RandomStream again(seed, index);
      const std::uint64_t first = stream.next();
      CHECK(again.next() == first);
      first_numbers.insert(first);
    }
  CHECK(first_numbers.size() == 1600);
}

TEST_CASE("bounded integers are equally likely, also for bounds where a remainder would not be") {
  // With 2^32 mod bound values, the lower third would be drawn twice as often as each of the others.
  const std::uint32_t bound = 3U << 30U;
  RandomStream random(7, 0);
  constexpr int kDraws = 300'000;
  std::array<int, 3> thirds{};
  for (int i = 0; i < kDraws; ++i) {
    const std::uint32_t value = random.below(bound);
    REQUIRE(value < bound);
    ++thirds[value >> 30U];
  }
  const double deviation = std::sqrt(kDraws * (1.0 / 3.0) * (2.0 / 3.0));
  for (const int count : thirds) CHECK(std::abs(count - kDraws / 3.0) < 5.0 * deviation);
}

TEST_CASE("first draws of neighbouring streams are as even as those of one stream") {
  // Chi-square over 100 cells with 100,000 streams; mean 99, standard deviation 14.
  std::array<int, 100> cells{};
  for (std::uint64_t index = 0; index < 100'000; ++index) ++cells[RandomStream(1, index).below(100)];
  double chi_square = 0.0;
  for (const int count : cells) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  CHECK(chi_square > 99.0 - 5.0 * 14.1);
  CHECK(chi_square < 99.0 + 5.0 * 14.1);
}

TEST_CASE("a bound of one leaves nothing to draw") {
  RandomStream random(0, 0);
  for (int i = 0; i < 10; ++i) CHECK(random.below(1) == 0);
}
