#include "ingest/gzip_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace memuse::ingest {
namespace {

/// Window bits of zlib: the largest window, and a gzip header instead of zlib's own.
constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kPackedBlock = std::size_t{64} << 10;

class GzipStream final : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> compressed, const ContainerLimits& limits)
      : compressed_(std::move(compressed)), block_(kPackedBlock), limits_(limits) {
    if (inflateInit2(&inflater_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { inflateEnd(&inflater_); }

  std::size_t read(char* buffer, std::size_t size) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    inflater_.next_out = reinterpret_cast<Bytef*>(buffer);
    inflater_.avail_out = wanted;
    while (inflater_.avail_out == wanted && wanted > 0) {
      const bool at_end = inflater_.avail_in == 0 && !fill();
      if (!in_member_ && (at_end || !begin_member())) return 0;
      step();  // at the end, too: what was taken in may not all have been given out
      if (at_end && in_member_ && inflater_.avail_out == wanted) throw ReadFault{"the gzip file ends too early"};
    }
    const std::size_t got = wanted - inflater_.avail_out;
    count(got);
    return got;
  }

 private:
  bool fill() {
    const std::size_t got = compressed_->read(block_.data(), block_.size());
    inflater_.next_in = reinterpret_cast<Bytef*>(block_.data());
    inflater_.avail_in = static_cast<uInt>(got);
    bytes_in_ += got;
    return got > 0;
  }

  /// False when only zeros follow, with which some writers fill up a file.
  bool begin_member() {
    while (first_done_) {
      while (inflater_.avail_in > 0 && *inflater_.next_in == 0) {
        ++inflater_.next_in;
        --inflater_.avail_in;
      }
      if (inflater_.avail_in > 0) break;
      if (!fill()) return false;
    }
    in_member_ = true;
    return true;
  }

  void step() {
    const int status = inflate(&inflater_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      in_member_ = false;
      first_done_ = true;
      inflateReset(&inflater_);
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw ReadFault{fmt::format("damaged gzip data near byte {} of the file ({})", bytes_in_ - inflater_.avail_in,
                                  inflater_.msg != nullptr ? inflater_.msg : "no more is known")};
    }
  }

  void count(std::size_t got) {
    bytes_out_ += got;
    if (!expands_too_far(bytes_in_, bytes_out_, limits_)) return;
    throw ReadFault{
        fmt::format("the gzip file becomes more than {} times its size; if that is right, raise --max-expansion",
                    limits_.expansion),
        true};
  }

  std::unique_ptr<ByteStream> compressed_;
  std::vector<char> block_;
  ContainerLimits limits_;
  z_stream inflater_{};
  bool in_member_ = false;
  bool first_done_ = false;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
};

}  // namespace

bool starts_like_gzip(std::string_view head) {
  return head.starts_with("\x1f\x8b\x08");
}

std::unique_ptr<ByteStream> open_gzip(std::unique_ptr<ByteStream> compressed, const ContainerLimits& limits) {
  return std::make_unique<GzipStream>(std::move(compressed), limits);
}

}  // namespace memuse::ingest
