#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace memuse::workflow {

/// A queue between many producers and one consumer that holds at most `capacity` elements: a full queue blocks the
/// producers, so that reading never runs ahead of writing. Thread-safe.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room; false when the queue was closed instead (the element is not taken).
  bool push(T element) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return closed_ || elements_.size() < capacity_; });
    if (closed_) return false;
    elements_.push_back(std::move(element));
    has_element_.notify_one();
    return true;
  }

  /// Waits for an element; nothing when the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    has_element_.wait(lock, [&] { return closed_ || !elements_.empty(); });
    if (elements_.empty()) return std::nullopt;
    T element = std::move(elements_.front());
    elements_.pop_front();
    has_room_.notify_one();
    return element;
  }

  /// No more elements are taken; those inside can still be popped.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_room_.notify_all();
    has_element_.notify_all();
  }

 private:
  std::size_t capacity_;
  std::deque<T> elements_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_element_;
  bool closed_ = false;
};

}  // namespace memuse::workflow
