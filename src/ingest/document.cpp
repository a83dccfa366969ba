#include "ingest/document.h"

#include <algorithm>

#include "ingest/line_reader.h"
#include "model/sha256.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kFirstRead = std::size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Document::Document(std::unique_ptr<ByteStream> stream, std::size_t max_bytes) {
  bytes_.resize(std::min(kFirstRead, max_bytes + 1));
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
  Sha256 hash;
  hash.update(std::string_view(bytes_).substr(0, size_));
  return hash.finish_hex();
}

}  // namespace memuse::ingest
