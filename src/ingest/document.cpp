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

void Document::grow(std::size_t room) {
  std::unique_ptr<char[]> larger(new char[room + kPadding]);
  if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
  room_ = room;
}

Document::Document(std::unique_ptr<ByteStream> stream, std::size_t max_bytes) {
  // One byte more than is expected: the read that finds the end needs room.
  grow(std::min(std::max(kFirstRead, std::min(stream->expected(), kMostExpected) + 1), max_bytes + 1));
  while (const std::size_t got = stream->read(bytes_.get() + size_, room_ - size_)) {
    size_ += got;
    if (size_ > max_bytes) {
      too_long_ = true;
      size_ = 0;
      break;
    }
    if (size_ == room_) grow(std::min(size_ * 2, max_bytes + 1));
  }
  std::memset(bytes_.get() + size_, 0, kPadding);
  if (text().starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

std::string Document::sha256() const {
  return sha256_hex({bytes_.get(), size_});
}

RecordPlace DocumentPlaces::at(std::size_t byte) {
  if (byte < counted_) {
    counted_ = 0;
    line_ = 1;
  }
  byte = std::min(byte, text_.size());
  line_ += count_byte(text_.substr(counted_, byte - counted_), '\n');
  counted_ = byte;
  return {line_, skipped_ + byte};
}

}  // namespace memuse::ingest
