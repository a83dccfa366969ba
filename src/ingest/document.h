#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/byte_stream.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// All bytes of one file, for formats that are one JSON document.
class Document {
 public:
  /// Reads `stream` to its end. `too_long()` when there are more than `max_bytes`; the rest is then not read.
  Document(std::unique_ptr<ByteStream> stream, std::size_t max_bytes);

  /// The bytes, without a UTF-8 byte-order mark; empty when too long.
  [[nodiscard]] std::string_view text() const { return {bytes_.get() + begin_, size_ - begin_}; }
  /// Bytes that may be read from the start of `text()`, for `JsonParser::parse`.
  [[nodiscard]] std::size_t readable() const { return readable(text()); }
  [[nodiscard]] bool too_long() const { return too_long_; }
  /// Bytes that may be read from the start of `part`, a part of `text()`.
  [[nodiscard]] std::size_t readable(std::string_view part) const {
    return static_cast<std::size_t>(bytes_.get() + size_ + kPadding - part.data());
  }
  /// Offset of the text in the file.
  [[nodiscard]] std::size_t begin() const { return begin_; }
  /// All bytes of the file, mark included.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Hex digits over all bytes.
  [[nodiscard]] std::string sha256() const;

 private:
  static constexpr std::size_t kPadding = JsonParser::kPadding;

  void grow(std::size_t room);

  // No std::string: zeroing what is about to be read costs a pass over memory.
  std::unique_ptr<char[]> bytes_;  // `room_` and the padding
  std::size_t room_ = 0;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  bool too_long_ = false;
};

/// Line and byte in the file of a byte of the document. Asked in ascending order, it costs one pass over the document.
class DocumentPlaces {
 public:
  explicit DocumentPlaces(const Document& document) : text_(document.text()), skipped_(document.begin()) {}
  RecordPlace at(std::size_t byte);
  /// Bytes of the file.
  [[nodiscard]] std::size_t size() const { return skipped_ + text_.size(); }

 private:
  std::string_view text_;
  std::size_t skipped_;      // bytes of the file before the text
  std::size_t counted_ = 0;  // bytes whose line ends are in line_
  std::uint64_t line_ = 1;
};

}  // namespace memuse::ingest
