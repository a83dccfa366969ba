#include "model/arena.h"

#include <algorithm>

namespace memuse {

char* Arena::reserve(std::size_t bytes) {
  if (cursor_ == nullptr || left_ < bytes) {
    const std::size_t size = std::max(next_size_, bytes);
    // Not make_unique: zeroing a block that is about to be overwritten costs a pass over memory.
    blocks_.emplace_back(new char[size + kSlack]);
    cursor_ = blocks_.back().get();
    left_ = size;
    next_size_ = std::min(next_size_ * 2, kLargestGrowth);
  }
  return cursor_;
}

}  // namespace memuse
