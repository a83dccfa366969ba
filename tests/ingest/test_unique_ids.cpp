#include "ingest/unique_ids.h"

#include <catch2/catch.hpp>
#include <string>

namespace memuse::ingest {

TEST_CASE("an id that is taken gets the first free number", "[ids]") {
  UniqueIds ids;
  CHECK(ids.take("a.3") == "a.3");
  CHECK(ids.take("a") == "a");
  CHECK(ids.take("a") == "a.2");
  CHECK(ids.take("a") == "a.4");
  CHECK(ids.take("a.2") == "a.2.2");
  CHECK(ids.take("b") == "b");
}

TEST_CASE("an id that is wanted without end costs no more each time", "[ids]") {
  UniqueIds ids;
  constexpr int kTimes = 300'000;  // each looking through all before it would take minutes
  std::string last;
  for (int i = 0; i < kTimes; ++i) last = ids.take("same");
  CHECK(last == "same.300000");
}

}  // namespace memuse::ingest
