#include <catch2/catch.hpp>
#include <set>

#include "chat/retry.h"

namespace memuse::chat {
namespace {

using std::chrono::milliseconds;

std::vector<milliseconds::rep> waits(std::uint64_t seed, std::uint64_t call, int count) {
  Backoff backoff(milliseconds(100), milliseconds(1'000), seed, call);
  std::vector<milliseconds::rep> all;
  for (int i = 0; i < count; ++i) all.push_back(backoff.next().count());
  return all;
}

}  // namespace

TEST_CASE("retry: waits stay below a bound that doubles up to the longest") {
  std::vector<milliseconds::rep> largest(7, 0);
  for (std::uint64_t call = 0; call < 500; ++call) {
    const auto all = waits(3, call, 7);
    for (std::size_t i = 0; i < all.size(); ++i) largest[i] = std::max(largest[i], all[i]);
  }
  const std::vector<milliseconds::rep> bounds{100, 200, 400, 800, 1'000, 1'000, 1'000};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    CHECK(largest[i] <= bounds[i]);
    CHECK(largest[i] > bounds[i] * 9 / 10);
  }
}

TEST_CASE("retry: the same seed and call wait the same, others differently") {
  CHECK(waits(1, 5, 8) == waits(1, 5, 8));
  CHECK(waits(1, 5, 8) != waits(1, 6, 8));
  CHECK(waits(1, 5, 8) != waits(2, 5, 8));
  CHECK(Backoff(milliseconds(0), milliseconds(0), 1, 1).next() == milliseconds(0));
  CHECK(Backoff(milliseconds(500), milliseconds(10), 1, 1).next() <= milliseconds(10));
}

TEST_CASE("retry: Retry-After in seconds and as a date") {
  const auto now = std::chrono::system_clock::from_time_t(1'700'000'000);  // Tue, 14 Nov 2023 22:13:20 GMT
  CHECK(parse_retry_after("7", now) == milliseconds(7'000));
  CHECK(parse_retry_after("0.5", now) == milliseconds(500));
  CHECK(parse_retry_after("0", now) == milliseconds(0));
  CHECK(parse_retry_after("-3", now) == milliseconds(0));
  CHECK(parse_retry_after("Tue, 14 Nov 2023 22:14:20 GMT", now) == milliseconds(60'000));
  CHECK(parse_retry_after("Tue, 14 Nov 2023 22:12:20 GMT", now) == milliseconds(0));
  CHECK(parse_retry_after("1e300", now) == milliseconds(1'000'000'000'000));
  for (const char* nothing : {"", "soon", "7 s", "nan"}) {
    INFO(nothing);
    const auto wait = parse_retry_after(nothing, now);
    CHECK((!wait || wait == milliseconds(0)));
  }
}

}  // namespace memuse::chat
