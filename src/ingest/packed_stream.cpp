#include "ingest/packed_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <new>
#include <string>
#include <utility>

#include "ingest/archive_source.h"

namespace memuse::ingest {
namespace {

class PackedStream final : public ByteStream {
 public:
  PackedStream(std::unique_ptr<ByteStream> compressed, const ContainerLimits& limits)
      : source_(std::move(compressed)), reader_(archive_read_new()), limits_(limits) {
    if (reader_ == nullptr) throw std::bad_alloc();
    archive_read_support_filter_zstd(reader_.get());
    archive_read_support_filter_xz(reader_.get());
    archive_read_support_filter_bzip2(reader_.get());
    archive_read_support_format_raw(reader_.get());
    // The raw format knows no empty file.
    archive_read_support_format_empty(reader_.get());
    source_.attach(reader_.get());
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader_.get(), &entry);
    if (status == ARCHIVE_EOF) {
      at_end_ = true;
    } else if (status != ARCHIVE_OK) {
      fail();
    }
    // A filter that does not know the stream after all is left out in silence; then packed bytes would come out.
    if (archive_filter_count(reader_.get()) < 2) throw ReadFault{"damaged compressed data at the start of the file"};
  }

  std::size_t read(char* buffer, std::size_t size) override {
    if (at_end_ || size == 0) return 0;
    const la_ssize_t got = archive_read_data(reader_.get(), buffer, size);
    if (got < 0) fail();
    at_end_ = got == 0;
    bytes_out_ += static_cast<std::uint64_t>(got);
    if (expands_too_far(source_.taken(), bytes_out_, limits_)) {
      throw ReadFault{fmt::format("the compressed file becomes more than {} times its size; if that is right, raise "
                                  "--max-expansion",
                                  limits_.expansion),
                      true};
    }
    return static_cast<std::size_t>(got);
  }

 private:
  [[noreturn]] void fail() const {
    if (source_.fault()) throw ReadFault(*source_.fault());
    throw ReadFault{fmt::format("damaged or incomplete compressed data near byte {} of the file ({})", source_.taken(),
                                archive_fault(reader_.get()))};
  }

  ArchiveSource source_;
  ArchiveHandle reader_;
  ContainerLimits limits_;
  std::uint64_t bytes_out_ = 0;
  bool at_end_ = false;
};

}  // namespace

std::string_view packed_kind(std::string_view head) {
  if (head.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (head.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6))) {
    return "xz";
  }
  const bool bzip2 = head.size() >= 4 && head.starts_with("BZh") && head[3] >= '1' && head[3] <= '9';
  return bzip2 ? "bzip2" : std::string_view();
}

std::unique_ptr<ByteStream> open_packed(std::unique_ptr<ByteStream> compressed, const ContainerLimits& limits) {
  return std::make_unique<PackedStream>(std::move(compressed), limits);
}

}  // namespace memuse::ingest
