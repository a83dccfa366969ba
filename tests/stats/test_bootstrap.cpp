#include "stats/bootstrap.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "stats/python.h"
#include "stats/random.h"

using namespace memuse;
using namespace memuse::stats;

namespace {

constexpr Resampling kResampling{.resamples = 2000, .seed = 17};

/// Rows that own the names of their clusters.
struct Rows {
  std::vector<std::string> names;
  std::vector<Row> rows;
};

/// `clusters` clusters of 1 to 4 rows with values from 0 to 9 tenths, so that sums round.
Rows random_rows(std::size_t clusters, std::uint64_t seed) {
  Rows made;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < clusters; ++i) made.names.push_back("task-" + std::to_string(i));
  for (const std::string& name : made.names)
    for (std::uint32_t row = 0; row <= random.below(4); ++row)
      made.rows.push_back({name, random.below(10) / 10.0, 1.0 + random.below(3) / 10.0});
  return made;
}

bool same(const Estimate& a, const Estimate& b) {
  return a.value == b.value && a.interval == b.interval && a.p == b.p && a.clusters == b.clusters &&
         a.undefined == b.undefined;
}

/// A re-implementation from the headers' words, with integers and fractions only. `rows` are the sums of each cluster.
const char* const kPythonBootstrap = R"python(
import json
from fractions import Fraction
MASK = 2**64 - 1
class SplitMix:
  def __init__(self, s): self.s = s & MASK
  def next(self):
    self.s = (self.s + 0x9e3779b97f4a7c15) & MASK
    z = self.s
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
    return z ^ (z >> 31)
def rotl(x, k): return ((x << k) | (x >> (64 - k))) & MASK
class Stream:
  def __init__(self, seed, index):
    words = SplitMix(SplitMix(SplitMix(seed).next() + index).next())
    self.s = [words.next() for _ in range(4)]
  def next(self):
    s = self.s
    result = (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
    t = (s[1] << 17) & MASK
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45)
    return result
  def below(self, n):
    while True:
      m = (self.next() >> 32) * n
      if m % 2**32 >= 2**32 % n: return m >> 32
def difference(rows):
  return Fraction(sum(r[0] for r in rows), sum(r[1] for r in rows)) - Fraction(sum(r[2] for r in rows), sum(r[3] for r in rows))
values = []
for i in range(1000):
  s = Stream(17, i)
  values.append(difference([rows[s.below(len(rows))] for _ in rows]))
values.sort()
at_most = sum(v <= 0 for v in values); at_least = sum(v >= 0 for v in values)
p = min(Fraction(1), 2 * Fraction(min(at_most, at_least) + 1, 1001))
print(json.dumps([float(difference(rows)), float(values[24]), float(values[1000 - 25]), float(p)]))
)python";

}  // namespace

TEST_CASE("bootstrap of a variance: published example") {
  // Efron and Tibshirani 1993, §14.2 and §14.3, spatial test A of Table 14.1: variance 171.5; 90 % intervals (100.8,
  // 233.9) by percentiles and (115.8, 259.6) by BCa, from 2,000 resamples; z0 = 0.146 and a = 0.061.
  const std::vector<double> scores{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                                   0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
  RowsByCluster rows(3);
  for (std::size_t i = 0; i < scores.size(); ++i)
    rows.add(std::to_string(i), std::array{1.0, scores[i], scores[i] * scores[i]});
  const Statistic variance = [](std::span<const double> sums) {
    return sums[2] / sums[0] - (sums[1] / sums[0]) * (sums[1] / sums[0]);
  };
  Resampling resampling{.resamples = 40'000, .seed = 3, .method = IntervalMethod::bca, .confidence = 0.90};
  const auto bca = bootstrap(rows.sums(), variance, resampling);
  REQUIRE((bca && bca->interval && bca->bca));
  CHECK(bca->value == Approx(171.5).margin(0.05));
  CHECK(bca->bca->acceleration == Approx(0.061).margin(5e-4));
  CHECK(bca->bca->bias_correction == Approx(0.146).margin(0.05));
  CHECK(bca->interval->low == Approx(115.8).margin(4.0));
  CHECK(bca->interval->high == Approx(259.6).margin(6.0));
  CHECK_FALSE(bca->p);

  resampling.method = IntervalMethod::percentile;
  const auto percentile = bootstrap(rows.sums(), variance, resampling);
  REQUIRE((percentile && percentile->interval));
  CHECK(percentile->interval->low == Approx(100.8).margin(4.0));
  CHECK(percentile->interval->high == Approx(233.9).margin(4.0));
  CHECK_FALSE(percentile->bca);
}

TEST_CASE("ratio and difference: values by hand") {
  const std::vector<Row> first{{"a", 1}, {"a", 0}, {"b", 1}, {"c", 1}};
  const std::vector<Row> second{{"b", 0}, {"a", 1}, {"d", 1}};
  CHECK(ratio(first, kResampling)->value == 0.75);
  CHECK(ratio(first, kResampling)->clusters == 3);
  const auto difference = ratio_difference(first, second, kResampling);
  REQUIRE(difference);
  CHECK(difference->clusters == 2);
  CHECK(difference->value == 2.0 / 3.0 - 0.5);
  CHECK(ratio(std::vector<Row>{{"a", 3, 4}, {"b", 2, 6}}, kResampling)->value == 0.5);
}

TEST_CASE("two clusters: the resamples are known") {
  // aa, ab, ba, bb with equal chance: 0 and 1 each in a quarter of the resamples, so the interval is the whole range.
  const std::vector<Row> rows{{"a", 0}, {"b", 1}};
  const auto estimate = ratio(rows, kResampling);
  CHECK(estimate->interval == Interval{0.0, 1.0});
  const auto of_zero = ratio_difference(rows, std::vector<Row>{{"a", 0}, {"b", 0}}, {.resamples = 40'000, .seed = 2});
  CHECK(*of_zero->p == Approx(0.5).margin(0.02));
}

TEST_CASE("bootstrap equals an independent implementation with exact fractions") {
  MEMUSE_NEEDS_PYTHON();
  RandomStream random(99, 0);
  std::vector<std::string> names;
  for (int i = 0; i < 37; ++i) names.push_back("arc-" + std::to_string(100 + i));
  std::vector<Row> first;
  std::vector<Row> second;
  nlohmann::json lines = nlohmann::json::array();
  for (const std::string& name : names) {
    std::array<int, 4> sums{};
    for (int row = 0; row < 3; ++row) {
      const int hit_first = random.below(10) < 6 ? 1 : 0;
      const int hit_second = random.below(10) < 5 ? 1 : 0;
      first.push_back({name, static_cast<double>(hit_first)});
      sums[0] += hit_first;
      sums[1] += 1;
      if (row == 2 && random.below(2) == 0) continue;
      second.push_back({name, static_cast<double>(hit_second), 2.0});
      sums[2] += hit_second;
      sums[3] += 2;
    }
    lines.push_back(sums);
  }
  const nlohmann::json expected = test::python_json("rows = " + lines.dump() + "\n" + kPythonBootstrap);

  const auto estimate = ratio_difference(first, second, {.resamples = 1000, .seed = 17});
  REQUIRE((estimate && estimate->interval && estimate->p));
  // A double rate is a rounded fraction, so a difference may be off by one rounding.
  CHECK(estimate->value == Approx(expected[0].get<double>()).epsilon(1e-14));
  CHECK(estimate->interval->low == Approx(expected[1].get<double>()).epsilon(1e-14));
  CHECK(estimate->interval->high == Approx(expected[2].get<double>()).epsilon(1e-14));
  CHECK(*estimate->p == Approx(expected[3].get<double>()).epsilon(1e-15));
}

TEST_CASE("the order of the rows changes nothing, down to the last bit") {
  Rows made = random_rows(60, 1);
  Rows other = random_rows(60, 2);
  const auto before = ratio_difference(made.rows, other.rows, kResampling);
  RandomStream random(8, 0);
  for (int round = 0; round < 20; ++round) {
    for (std::vector<Row>* rows : {&made.rows, &other.rows})
      for (std::size_t i = rows->size(); i > 1; --i)
        std::swap((*rows)[i - 1], (*rows)[random.below(static_cast<std::uint32_t>(i))]);
    CHECK(same(*ratio_difference(made.rows, other.rows, kResampling), *before));
  }
}

TEST_CASE("swapping the sides changes signs and nothing else") {
  for (const IntervalMethod method : {IntervalMethod::percentile, IntervalMethod::bca})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Rows a = random_rows(30, 2 * seed);
      const Rows b = random_rows(30, 2 * seed + 1);
      const Resampling resampling{.resamples = 999, .seed = seed, .method = method};
      const auto forward = ratio_difference(a.rows, b.rows, resampling);
      const auto backward = ratio_difference(b.rows, a.rows, resampling);
      REQUIRE((forward && backward && forward->interval && backward->interval));
      CHECK(forward->value == -backward->value);
      CHECK(forward->p == backward->p);
      CHECK((*forward->p > 0.0 && *forward->p <= 1.0));
      CHECK(forward->interval->low == -backward->interval->high);
      CHECK(forward->interval->high == -backward->interval->low);
    }
}

TEST_CASE("a side against itself differs by nothing") {
  const Rows rows = random_rows(40, 5);
  const auto estimate = ratio_difference(rows.rows, rows.rows, kResampling);
  CHECK(estimate->value == 0.0);
  CHECK(estimate->interval == Interval{0.0, 0.0});
  CHECK(*estimate->p == 1.0);
}

TEST_CASE("the result is the same for any number of threads") {
  const tbb::global_control eight_threads(tbb::global_control::max_allowed_parallelism, 8);
  const Rows a = random_rows(200, 1);
  const Rows b = random_rows(200, 2);
  for (const IntervalMethod method : {IntervalMethod::percentile, IntervalMethod::bca}) {
    const Resampling resampling{.resamples = 3000, .seed = 4, .method = method};
    std::vector<Estimate> results;
    for (const int threads : {1, 2, 3, 8}) {
      tbb::task_arena arena(threads);
      arena.execute([&] { results.push_back(*ratio_difference(a.rows, b.rows, resampling)); });
    }
    for (const Estimate& result : results) CHECK(same(result, results.front()));
  }
}

TEST_CASE("wide tables are summed as narrow ones are") {
  // Columns beyond the second are no part of the statistic, so they may not change it.
  const Rows made = random_rows(50, 3);
  const Statistic statistic = [](std::span<const double> sums) { return sums[0] / sums[1]; };
  const auto expected = ratio(made.rows, kResampling);
  for (std::size_t columns = 2; columns <= 7; ++columns) {
    RowsByCluster rows(columns);
    for (const Row& row : made.rows) {
      std::vector<double> values(columns, 42.0);
      values[0] = row.numerator;
      values[1] = row.denominator;
      rows.add(row.cluster, values);
    }
    CHECK(same(*bootstrap(rows.sums(), statistic, kResampling), *expected));
  }
}

TEST_CASE("seeds matter, and more resamples only refine") {
  const Rows rows = random_rows(80, 6);
  const auto one = ratio(rows.rows, {.resamples = 500, .seed = 1});
  const auto other = ratio(rows.rows, {.resamples = 500, .seed = 2});
  CHECK_FALSE(one->interval == other->interval);
  const auto many = ratio(rows.rows, {.resamples = 20'000, .seed = 1});
  const double width = many->interval->high - many->interval->low;
  CHECK(one->interval->low == Approx(many->interval->low).margin(0.15 * width));
  CHECK(one->interval->high == Approx(many->interval->high).margin(0.15 * width));
}

TEST_CASE("clusters of equal rows widen the interval as theory says") {
  // Four equal rows per cluster carry the information of one: the interval must not narrow by half.
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(std::to_string(i));
  std::vector<Row> single;
  std::vector<Row> repeated;
  for (std::size_t i = 0; i < names.size(); ++i) {
    single.push_back({names[i], i % 3 == 0 ? 1.0 : 0.0});
    for (int row = 0; row < 4; ++row) repeated.push_back(single.back());
  }
  CHECK(ratio(single, kResampling)->interval == ratio(repeated, kResampling)->interval);
}

TEST_CASE("nothing, rather than a number that means nothing") {
  CHECK_FALSE(ratio({}, kResampling));
  CHECK_FALSE(ratio(std::vector<Row>{{"a", 1, 0}, {"b", 2, 0}}, kResampling));
  CHECK_FALSE(ratio(std::vector<Row>{{"a", std::numeric_limits<double>::quiet_NaN()}, {"b", 1}}, kResampling));
  CHECK_FALSE(ratio_difference(std::vector<Row>{{"a", 1}}, std::vector<Row>{{"b", 1}}, kResampling));

  const auto one_cluster =
      ratio_difference(std::vector<Row>{{"a", 1}, {"a", 0}}, std::vector<Row>{{"a", 0}}, kResampling);
  REQUIRE(one_cluster);
  CHECK(one_cluster->value == 0.5);
  CHECK_FALSE(one_cluster->interval);
  CHECK_FALSE(one_cluster->p);

  CHECK_FALSE(ratio(std::vector<Row>{{"a", 1}, {"b", 0}}, {.resamples = 10, .seed = 0})->interval);
  CHECK_FALSE(ratio(std::vector<Row>{{"a", 1}, {"b", 0}}, {.resamples = 0, .seed = 0})->interval);
}

TEST_CASE("undefined resamples are counted, and too many of them leave no interval") {
  // One of two clusters has the only denominator: a quarter of the resamples miss it.
  const auto few = ratio(std::vector<Row>{{"a", 1, 2}, {"b", 1, 0}}, kResampling);
  REQUIRE(few);
  CHECK(few->value == 1.0);
  CHECK(static_cast<double>(few->undefined) == Approx(500.0).margin(100.0));
  CHECK_FALSE(few->interval);

  // Six of twelve clusters: one resample in 4,096 misses them all.
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back(std::to_string(i));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < names.size(); ++i) rows.push_back({names[i], 1.0, i < 6 ? 1.0 : 0.0});
  const auto many = ratio(rows, {.resamples = 40'000, .seed = 1});
  REQUIRE((many && many->interval));
  CHECK(many->undefined > 0);
  CHECK(many->undefined < 40);
}

TEST_CASE("25,000 rows with 10,000 resamples", "[.slow]") {
  std::vector<std::string> names;
  std::vector<Row> first;
  std::vector<Row> second;
  RandomStream random(1, 1);
  for (int i = 0; i < 25'000; ++i) names.push_back("task-" + std::to_string(i));
  for (const std::string& name : names) {
    first.push_back({name, static_cast<double>(random.below(2))});
    second.push_back({name, static_cast<double>(random.below(2))});
  }
  const auto start = std::chrono::steady_clock::now();
  const auto estimate = ratio_difference(first, second, {.resamples = 10'000, .seed = 1});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  REQUIRE((estimate && estimate->interval));
  WARN("25,000 tasks on two sides, 10,000 resamples: " << taken.count() << " s");
  CHECK(taken.count() < 5.0);
}

TEST_CASE("statistics estimated together are those estimated alone, whatever the number of columns") {
  for (const std::size_t columns : {2U, 5U, 9U, 14U, 24U}) {
    RandomStream random(columns, 3);
    std::vector<double> values(columns * 17);
    for (double& value : values) value = random.unit();
    const ClusterSums all(columns, values);
    std::vector<Statistic> statistics;
    for (std::size_t column = 0; column + 1 < columns; ++column) {
      statistics.emplace_back([column](std::span<const double> sums) -> std::optional<double> {
        if (sums[column + 1] == 0.0) return std::nullopt;
        return sums[column] / sums[column + 1];
      });
    }
    statistics.emplace_back([](std::span<const double>) { return std::optional<double>(); });
    const Resampling resampling{400, 9};
    const auto together = bootstrap_each(all, statistics, resampling, 1.0);
    REQUIRE(together.size() == statistics.size());
    CHECK_FALSE(together.back());
    for (std::size_t i = 0; i + 1 < statistics.size(); ++i) {
      // Two columns of their own: another way through the sums.
      std::vector<double> pair;
      for (std::size_t cluster = 0; cluster < all.clusters(); ++cluster) {
        pair.push_back(all.cluster(cluster)[i]);
        pair.push_back(all.cluster(cluster)[i + 1]);
      }
      const auto alone = bootstrap(
          ClusterSums(2, pair), [](std::span<const double> sums) -> std::optional<double> { return sums[0] / sums[1]; },
          resampling, 1.0);
      REQUIRE(alone);
      REQUIRE(together[i]);
      CHECK(together[i]->value == alone->value);
      CHECK(together[i]->interval == alone->interval);
      CHECK(together[i]->p == alone->p);
    }
  }
}
