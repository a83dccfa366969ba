#include "ingest/line_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/line_reader.h"

namespace memuse::ingest {
namespace {

/// Most files are small: room for a whole block is made only for those that are not.
constexpr std::size_t kFirstRead = std::size_t{64} << 10;

}  // namespace

LineBlockCutter::LineBlockCutter(std::unique_ptr<ByteStream> stream, std::size_t max_line_bytes,
                                 std::size_t block_bytes)
    : stream_(std::move(stream)),
      max_line_bytes_(max_line_bytes),
      block_bytes_(std::max(block_bytes, kByteOrderMark.size())) {}

/// Appends what the stream gives; 0 at its end, and where it fails: the fault waits for the lines before it.
std::size_t LineBlockCutter::read(LineBlock& block) {
  if (at_end_) return 0;
  // Growing by factors keeps the copying linear in the length of a line.
  const std::size_t most = std::max(block_bytes_, std::max(max_line_bytes_, max_line_bytes_ + 1));
  const std::size_t wanted =
      std::min(std::max(block.size * 2, kFirstRead), block.size < block_bytes_ ? block_bytes_ : most);
  if (block.buffer.size() < wanted + LineReader::kPadding) block.buffer.resize(wanted + LineReader::kPadding);
  std::size_t got = 0;
  try {
    got = stream_->read(block.buffer.data() + block.size, wanted - block.size);
  } catch (const ReadFault&) {
    fault_ = std::current_exception();
  }
  at_end_ = got == 0;
  block.size += got;
  return got;
}

void LineBlockCutter::pass_over_byte_order_mark(LineBlock& block) {
  started_ = true;
  while (block.size < kByteOrderMark.size() && read(block) > 0) {
  }
  if (!std::string_view(block.buffer.data(), block.size).starts_with(kByteOrderMark)) return;
  block.size -= kByteOrderMark.size();
  std::memmove(block.buffer.data(), block.buffer.data() + kByteOrderMark.size(), block.size);
  offset_ += kByteOrderMark.size();
  block.byte = offset_;
}

/// The block holds the start of a line that has passed the limit: reads past that line, keeping nothing of it.
void LineBlockCutter::skip_long_line(LineBlock& block) {
  block.skipped = block.size;
  block.size = 0;
  while (read(block) > 0) {
    const char* begin = block.buffer.data();
    const auto* feed = static_cast<const char*>(std::memchr(begin, '\n', block.size));
    const std::size_t taken = feed != nullptr ? static_cast<std::size_t>(feed - begin) + 1 : block.size;
    block.skipped += taken;
    if (feed != nullptr) {
      block.skipped_terminated = true;
      rest_.assign(begin + taken, begin + block.size);
      break;
    }
    block.size = 0;
  }
  block.size = 0;
  offset_ += block.skipped;
}

/// The block ends there; what follows begins the next one.
bool LineBlockCutter::end_at(LineBlock& block, std::size_t end) {
  rest_.assign(block.buffer.data() + end, block.buffer.data() + block.size);
  block.size = end;
  offset_ += end;
  return true;
}

bool LineBlockCutter::next(LineBlock& block) {
  block.buffer.resize(std::max(block.buffer.size(), rest_.size() + LineReader::kPadding));
  std::copy(rest_.begin(), rest_.end(), block.buffer.begin());
  block.size = rest_.size();
  rest_.clear();
  block.byte = offset_;
  block.skipped = 0;
  block.skipped_terminated = false;
  if (!started_) pass_over_byte_order_mark(block);

  std::size_t searched = 0;  // bytes at the start without a line feed, once the block is full
  while (true) {
    if (block.size >= block_bytes_ || at_end_) {
      const void* feed = ::memrchr(block.buffer.data() + searched, '\n', block.size - searched);
      if (feed != nullptr) {
        const auto lines = static_cast<std::size_t>(static_cast<const char*>(feed) - block.buffer.data()) + 1;
        // At the end of the stream, the line without a line feed comes with the others.
        const bool last_line_too = at_end_ && !fault_ && block.size - lines <= max_line_bytes_;
        return end_at(block, last_line_too ? block.size : lines);
      }
      searched = block.size;
      if (block.size > max_line_bytes_) {
        skip_long_line(block);
        return true;
      }
    }
    if (read(block) == 0 && (searched == block.size || block.size == 0)) break;
  }
  if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
  return block.size > 0 && end_at(block, block.size);
}

}  // namespace memuse::ingest
