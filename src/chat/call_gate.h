#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace memuse::chat {

/// Lets a limited number of calls through at a time, in the order in which they came. After a rate limit the number is
/// halved (not below one) and everybody waits out the same pause; after as many successes as the number is at the time
/// it grows by one again. Thread-safe.
class CallGate {
 public:
  CallGate(std::uint32_t limit, const std::atomic<bool>* stop);

  /// A call's place, given back by `leave`.
  struct Place {
    bool granted = false;     ///< false when the stop flag was set while waiting
    std::uint64_t epoch = 0;  ///< how often the limit had been lowered
  };
  Place enter();
  void leave();
  /// A call with this place had a reply.
  void succeeded();
  /// A call with this place was refused for its rate: nobody enters before `pause` is over. Calls that were under way
  /// together lower the limit once.
  void rate_limited(const Place& place, std::chrono::milliseconds pause);
  [[nodiscard]] std::uint32_t limit() const;

 private:
  const std::uint32_t largest_;
  const std::atomic<bool>* stop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::uint64_t> waiting_;  ///< tickets, first come first
  std::uint64_t next_ticket_ = 0;
  std::uint32_t limit_;
  std::uint32_t inside_ = 0;
  std::uint32_t successes_ = 0;
  std::uint64_t epoch_ = 0;
  std::chrono::steady_clock::time_point closed_until_{};
};

/// Sleeps; false when the stop flag was set meanwhile.
bool sleep_unless_stopped(std::chrono::milliseconds time, const std::atomic<bool>* stop);

}  // namespace memuse::chat
