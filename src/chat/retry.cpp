#include "chat/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>

namespace memuse::chat {
namespace {

using std::chrono::milliseconds;

/// SplitMix64 (Steele, Lea, Flood 2014): the next state's number.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

/// Longer than anybody waits; keeps the sums below from running over.
constexpr double kLongestSeconds = 1e9;

}  // namespace

Backoff::Backoff(milliseconds first, milliseconds longest, std::uint64_t seed, std::uint64_t call)
    : ceiling_(std::min(first, longest)), longest_(longest), state_(seed) {
  state_ = next_random(state_) ^ call;
}

milliseconds Backoff::next() {
  const auto range = static_cast<std::uint64_t>(std::max<milliseconds::rep>(ceiling_.count(), 0)) + 1;
  const std::uint64_t wait = next_random(state_) % range;
  ceiling_ = ceiling_ > longest_ / 2 ? longest_ : ceiling_ * 2;
  return milliseconds(static_cast<milliseconds::rep>(wait));
}

std::optional<milliseconds> parse_retry_after(const std::string& value, std::chrono::system_clock::time_point now) {
  if (value.empty()) return std::nullopt;
  double seconds = 0.0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (fault != std::errc() || end != value.data() + value.size()) {
    const std::time_t date = curl_getdate(value.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    const auto left = std::chrono::system_clock::from_time_t(date) - now;
    seconds = std::chrono::duration<double>(left).count();
  }
  if (!(seconds > 0.0)) return milliseconds(0);
  return milliseconds(static_cast<milliseconds::rep>(std::min(seconds, kLongestSeconds) * 1000.0));
}

}  // namespace memuse::chat
