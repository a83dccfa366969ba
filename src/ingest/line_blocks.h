#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// Whole lines of a file that follow each other, or one line over the limit.
struct LineBlock {
  std::vector<char> buffer;         ///< its lines, then at least `LineReader::kPadding` bytes
  std::size_t size = 0;             ///< bytes of lines
  std::uint64_t byte = 0;           ///< offset of its first byte in the file
  std::uint64_t skipped = 0;        ///< bytes of the line over the limit, which are not kept; 0 for whole lines
  bool skipped_terminated = false;  ///< that line has a line feed, which is in `skipped`
};

/// Cuts a stream at line feeds into blocks of about the same size, for threads that take them apart. Does as little as
/// can be for a byte: it is the serial end of the reading. Memory: a block and the longest line below the limit.
class LineBlockCutter {
 public:
  /// `block_bytes`: a block ends with the last line feed once it has as many bytes, at least 1.
  LineBlockCutter(std::unique_ptr<ByteStream> stream, std::size_t max_line_bytes, std::size_t block_bytes);

  /// The next block, into the buffer of an old one; false at the end. A UTF-8 byte-order mark at the start of the file
  /// is passed over. Where the stream fails, the whole lines before come first, then its ReadFault.
  bool next(LineBlock& block);

 private:
  std::size_t read(LineBlock& block);
  void pass_over_byte_order_mark(LineBlock& block);
  void skip_long_line(LineBlock& block);
  bool end_at(LineBlock& block, std::size_t end);

  std::unique_ptr<ByteStream> stream_;
  std::size_t max_line_bytes_;
  std::size_t block_bytes_;
  std::vector<char> rest_;    // of the last block, behind its last line feed
  std::uint64_t offset_ = 0;  // of the next block
  bool started_ = false;
  bool at_end_ = false;
  std::exception_ptr fault_;
};

}  // namespace memuse::ingest
