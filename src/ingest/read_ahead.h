#pragma once

#include <atomic>
#include <cstddef>

namespace memuse::ingest {

/// How much of files may be parsed ahead of their readers: one allowance for all files that are read at a time, so that
/// memory does not grow with their number. Thread-safe.
class ReadAhead {
 public:
  /// `bytes`: of the files' text; what is parsed from it takes a few times as much.
  explicit ReadAhead(std::size_t bytes) : limit_(bytes) {}

  /// Room for one more block. The last one taken may go beyond the limit, by one block of each file or the longest
  /// line.
  [[nodiscard]] bool has_room() const { return used_.load(std::memory_order_relaxed) < limit_; }
  void take(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace memuse::ingest
