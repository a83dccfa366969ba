#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace memuse {

/// Bump allocator for the decoded text of one episode.
///
/// Views returned by `keep` and `reserve` stay valid as long as the arena lives, and survive moving it. Every block has
/// `kSlack` readable and writable bytes behind its end, because simdjson's unescape copies in whole vectors.
/// Not thread-safe.
class Arena {
 public:
  static constexpr std::size_t kSlack = 64;

  Arena() = default;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    blocks_ = std::move(other.blocks_);
    cursor_ = std::exchange(other.cursor_, nullptr);
    left_ = std::exchange(other.left_, 0);
    next_size_ = std::exchange(other.next_size_, kFirstBlock);
    used_ = std::exchange(other.used_, 0);
    adopted_ = std::move(other.adopted_);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() = default;

  /// Copies `text` into the arena.
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    char* place = reserve(text.size());
    std::memcpy(place, text.data(), text.size());
    return commit(text.size());
  }

  /// Room for at least `bytes` bytes (plus slack). The room is taken only by `commit`.
  char* reserve(std::size_t bytes);

  /// Takes the first `bytes` bytes of the room that the last `reserve` gave.
  std::string_view commit(std::size_t bytes) {
    std::string_view taken(cursor_, bytes);
    cursor_ += bytes;
    left_ -= bytes;
    used_ += bytes;
    return taken;
  }

  /// Keeps another arena alive as long as this one: texts of an episode may lie where a block of its file was decoded.
  void adopt(const std::shared_ptr<const Arena>& other) {
    if (adopted_.empty() || adopted_.back() != other) adopted_.push_back(other);
  }

  /// Bytes handed out so far; not those of adopted arenas.
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kFirstBlock = 4096;
  static constexpr std::size_t kLargestGrowth = std::size_t{1} << 20;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* cursor_ = nullptr;
  std::size_t left_ = 0;
  std::size_t next_size_ = kFirstBlock;
  std::size_t used_ = 0;
  std::vector<std::shared_ptr<const Arena>> adopted_;
};

}  // namespace memuse
