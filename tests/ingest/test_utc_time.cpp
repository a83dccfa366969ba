#include "ingest/utc_time.h"

#include <catch2/catch.hpp>

namespace memuse::ingest {
namespace {

TEST_CASE("seconds become a time in UTC", "[time]") {
  CHECK(utc_time(0) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_time(1709210096.7894) == "2024-02-29T12:34:56.789Z");
  CHECK(utc_time(253402300799.9999) == "9999-12-31T23:59:59.999Z");
  CHECK_FALSE(utc_time(-1));
  CHECK_FALSE(utc_time(253402300800.0));
  CHECK_FALSE(utc_time(1e300));
}

}  // namespace
}  // namespace memuse::ingest
