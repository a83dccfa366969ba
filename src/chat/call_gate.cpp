#include "chat/call_gate.h"

#include <algorithm>
#include <thread>

namespace memuse::chat {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a waiting call looks at the stop flag, which nobody announces.
constexpr std::chrono::milliseconds kTick{20};

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load();
}

}  // namespace

CallGate::CallGate(std::uint32_t limit, const std::atomic<bool>* stop)
    : largest_(std::max(limit, 1U)), stop_(stop), limit_(largest_) {}

CallGate::Place CallGate::enter() {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::uint64_t ticket = next_ticket_++;
  const auto mine = waiting_.insert(waiting_.end(), ticket);
  const auto may_enter = [&] {
    return waiting_.front() == ticket && inside_ < limit_ && Clock::now() >= closed_until_;
  };
  while (!may_enter() && !is_set(stop_)) changed_.wait_for(lock, kTick);
  waiting_.erase(mine);
  changed_.notify_all();
  if (is_set(stop_)) return {};
  ++inside_;
  return {true, epoch_};
}

void CallGate::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --inside_;
  changed_.notify_all();
}

void CallGate::succeeded() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (limit_ == largest_ || ++successes_ < limit_) return;
  successes_ = 0;
  ++limit_;
  changed_.notify_all();
}

void CallGate::rate_limited(const Place& place, std::chrono::milliseconds pause) {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_until_ = std::max(closed_until_, Clock::now() + pause);
  successes_ = 0;
  if (place.epoch != epoch_) return;
  ++epoch_;
  limit_ = std::max(limit_ / 2, 1U);
}

std::uint32_t CallGate::limit() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return limit_;
}

bool sleep_unless_stopped(std::chrono::milliseconds time, const std::atomic<bool>* stop) {
  const auto until = Clock::now() + time;
  while (!is_set(stop)) {
    const auto left = until - Clock::now();
    if (left <= Clock::duration::zero()) return true;
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kTick));
  }
  return false;
}

}  // namespace memuse::chat
