#include "evidence/read_ledger.h"

#include <catch2/catch.hpp>
#include <random>

namespace memuse::evidence {
namespace {

TEST_CASE("what was shown is the union of its ranges", "[ledger]") {
  ReadLedger ledger;
  CHECK_FALSE(ledger.covers("target", {0, 0}));
  ledger.add("target", {0, 10});
  ledger.add("target", {20, 30});
  CHECK(ledger.missing("target", {0, 30}) == std::vector<ByteRange>{{10, 20}});
  ledger.add("target", {10, 20});
  CHECK(ledger.shown().at("target") == std::vector<ByteRange>{{0, 30}});
  CHECK(ledger.covers("target", {0, 30}));
  CHECK_FALSE(ledger.covers("target", {0, 31}));
  CHECK_FALSE(ledger.covers("task", {0, 1}));
  CHECK(ledger.bytes_shown() == 30);
}

TEST_CASE("an empty file counts as shown once it was opened", "[ledger]") {
  ReadLedger ledger;
  ledger.add("task", {0, 0});
  CHECK(ledger.covers("task", {0, 0}));
  CHECK_FALSE(ledger.covers("task", {0, 1}));
}

TEST_CASE("random ranges in any order give what a set of bytes gives", "[ledger]") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    ReadLedger ledger;
    std::vector<bool> bytes(40, false);
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t begin = random() % 40;
      const std::uint64_t end = begin + random() % (41 - begin);
      ledger.add("f", {begin, end});
      for (std::uint64_t b = begin; b < end; ++b) bytes[b] = true;
    }
    std::vector<ByteRange> gaps;
    for (std::uint64_t b = 0; b < 40; ++b) {
      if (bytes[b]) continue;
      if (!gaps.empty() && gaps.back().end == b) {
        ++gaps.back().end;
      } else {
        gaps.push_back({b, b + 1});
      }
    }
    REQUIRE(ledger.missing("f", {0, 40}) == gaps);
    REQUIRE(ledger.covers("f", {0, 40}) == gaps.empty());
    REQUIRE(ledger.bytes_shown() == static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), true)));
  }
}

}  // namespace
}  // namespace memuse::evidence
