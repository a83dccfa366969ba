#include "ingest/document.h"

#include <algorithm>
#include <cstring>

#include "ingest/line_reader.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kFirstRead = std::size_t{64} << 10;
/// What a file says of its size is not believed beyond: it may be mostly hole.
constexpr std::size_t kMostExpected = std::size_t{16} << 20;

}  // namespace

Document::Document(std::unique_ptr<ByteStream> stream, std::size_t max_bytes) {
  // One byte more than is expected: the read that finds the end needs room.
  const std::size_t room = std::max(kFirstRead, std::min(stream->expected(), kMostExpected) + 1);
  bytes_.resize(std::min(room, max_bytes + 1));
  while (const std::size_t got = stream->read(bytes_.data() + size_, bytes_.size() - size_)) {
    size_ += got;
    if (size_ > max_bytes) {
      too_long_ = true;
      size_ = 0;
      break;
    }
    if (size_ == bytes_.size()) bytes_.resize(std::min(size_ * 2, max_bytes + 1));
  }
  bytes_.resize(size_ + LineReader::kPadding);
  if (std::string_view(bytes_).substr(0, size_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

std::string Document::sha256() const {
  return sha256_hex(std::string_view(bytes_).substr(0, size_));
}

RecordPlace DocumentPlaces::at(std::size_t byte) {
  if (byte < counted_) {
    counted_ = 0;
    line_ = 1;
  }
  byte = std::min(byte, text_.size());
  while (counted_ < byte) {
    const void* end = std::memchr(text_.data() + counted_, '\n', byte - counted_);
    if (end == nullptr) break;
    ++line_;
    counted_ = static_cast<std::size_t>(static_cast<const char*>(end) - text_.data()) + 1;
  }
  counted_ = byte;
  return {line_, skipped_ + byte};
}

}  // namespace memuse::ingest
