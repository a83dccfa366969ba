#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// What some writers put before the first character of a UTF-8 file.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// One line of a file, without its line feed.
struct Line {
  std::string_view text;     ///< valid until the next call; `kPadding` readable bytes follow. Empty when `too_long`
  std::uint64_t number = 0;  ///< 1-based
  std::uint64_t byte = 0;    ///< offset of its first byte in the file
  std::uint64_t end = 0;     ///< offset behind its line feed (or behind its last byte at the end of the file)
  bool too_long = false;     ///< longer than the limit; its bytes were read past
  bool terminated = true;    ///< false for a last line without a line feed
};

/// Cuts a stream into lines at `\n` only (U+2028 and a lone carriage return are no line ends). Memory: one block plus
/// the longest line below the limit. Every byte is searched once, also in very long lines.
class LineReader {
 public:
  /// Readable bytes behind a line, for simdjson (SIMDJSON_PADDING).
  static constexpr std::size_t kPadding = 64;

  LineReader(std::unique_ptr<ByteStream> stream, std::size_t max_line_bytes);

  /// The next line, false at the end. A UTF-8 byte-order mark at the start of the file is skipped.
  bool next(Line& line);

  /// Bytes that may be read from the start of the current line's text (for the parser's capacity).
  [[nodiscard]] std::size_t readable(std::string_view text) const;

 private:
  bool fill();
  void skip_byte_order_mark();
  bool skip_long_line(Line& line);
  void emit(Line& line, std::size_t length, bool terminated);

  std::unique_ptr<ByteStream> stream_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;     // first byte not yet given out
  std::size_t searched_ = 0;  // bytes from begin_ that hold no line feed
  std::size_t end_ = 0;       // end of the bytes read
  std::uint64_t offset_ = 0;  // file offset of begin_
  std::uint64_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace memuse::ingest
