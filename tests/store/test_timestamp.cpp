#include "store/timestamp.h"

#include <catch2/catch.hpp>

using memuse::store::microseconds_of;

TEST_CASE("RFC 3339 times as microseconds") {
  CHECK(microseconds_of("1970-01-01T00:00:00Z") == 0);
  CHECK(microseconds_of("1970-01-01t00:00:01.5z") == 1500000);
  CHECK(microseconds_of("1970-01-01 01:00:00+01:00") == 0);
  CHECK(microseconds_of("1969-12-31T23:59:59Z") == -1000000);
  CHECK(microseconds_of("2000-02-29T12:00:00Z") == 951825600000000);
  CHECK(microseconds_of("2026-03-01T10:00:00") == microseconds_of("2026-03-01T10:00:00Z"));
  CHECK(microseconds_of("2026-03-01T10:00:00-0530") == microseconds_of("2026-03-01T15:30:00Z"));
  CHECK(microseconds_of("2026-03-01T10:00:00.1234567899Z").value() % 1000000 == 123456);
  CHECK(microseconds_of("9999-12-31T23:59:60Z").has_value());
  for (const char* bad : {"", "now", "2026-03-01", "2026-02-30T10:00:00Z", "2026-13-01T10:00:00Z",
                          "2026-03-01T24:00:00Z", "2026-03-01T10:60:00Z", "2026-03-01T10:00:00.Z",
                          "2026-03-01T10:00:00Zx", "1772359200", "2026-03-01T10:00:00+", "2026-03-01T10:00:00+1"}) {
    INFO(bad);
    CHECK(!microseconds_of(bad));
  }
}
