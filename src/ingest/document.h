#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// All bytes of one file, for formats that are one JSON document.
class Document {
 public:
  /// Reads `stream` to its end. `too_long()` when there are more than `max_bytes`; the rest is then not read.
  Document(std::unique_ptr<ByteStream> stream, std::size_t max_bytes);

  /// The bytes, without a UTF-8 byte-order mark; empty when too long.
  [[nodiscard]] std::string_view text() const { return std::string_view(bytes_).substr(begin_, size_ - begin_); }
  /// Bytes that may be read from the start of `text()`, for `JsonParser::parse`.
  [[nodiscard]] std::size_t readable() const { return bytes_.size() - begin_; }
  [[nodiscard]] bool too_long() const { return too_long_; }
  /// All bytes of the file, mark included.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Hex digits over all bytes.
  [[nodiscard]] std::string sha256() const;

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  bool too_long_ = false;
};

}  // namespace memuse::ingest
