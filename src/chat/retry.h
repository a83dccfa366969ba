#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace memuse::chat {

/// Waiting times of one call: exponential, with full jitter (uniform from 0 to the exponential time), from a seeded
/// generator.
class Backoff {
 public:
  /// `call` tells the calls of one endpoint apart, so that their waits differ.
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest, std::uint64_t seed, std::uint64_t call);
  std::chrono::milliseconds next();

 private:
  std::chrono::milliseconds ceiling_;
  std::chrono::milliseconds longest_;
  std::uint64_t state_;
};

/// The wait that a `Retry-After` header asks for, seconds or an HTTP date; nothing when it is neither. Never negative.
std::optional<std::chrono::milliseconds> parse_retry_after(const std::string& value,
                                                           std::chrono::system_clock::time_point now);

}  // namespace memuse::chat
