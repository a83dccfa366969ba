#pragma once

#include <optional>
#include <string>

namespace memuse::ingest {

/// RFC 3339 in UTC, to the millisecond, of seconds since 1970; nothing outside the years 1970 to 9999.
std::optional<std::string> utc_time(double seconds);

}  // namespace memuse::ingest
