#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/adapter.h"
#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// The first bytes of a stream, looked at before it is read from the start.
class PeekedStream final : public ByteStream {
 public:
  explicit PeekedStream(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), head_(read_up_to(*stream_, kDetectionBytes)) {}

  [[nodiscard]] std::string_view head() const { return head_; }

  [[nodiscard]] std::size_t expected() const override { return stream_->expected(); }

  std::size_t read(char* buffer, std::size_t size) override {
    if (given_ == head_.size()) return stream_->read(buffer, size);
    const std::size_t count = std::min(size, head_.size() - given_);
    std::copy_n(head_.data() + given_, count, buffer);
    given_ += count;
    return count;
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string head_;
  std::size_t given_ = 0;
};

}  // namespace memuse::ingest
