#include "ingest/utc_time.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>

namespace memuse::ingest {

std::optional<std::string> utc_time(double seconds) {
  constexpr double kYear10000 = 253402300800.0;
  if (!(seconds >= 0) || seconds >= kYear10000) return std::nullopt;
  // Cut off, not rounded, so that no time falls into the next year 10000.
  const auto milliseconds = static_cast<std::int64_t>(std::floor(seconds * 1000.0));
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{milliseconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z"), static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace memuse::ingest
