#include "ingest/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "ingest/container_limits.h"
#include "ingest/gzip_stream.h"
#include "ingest/packed_stream.h"
#include "ingest/unpacked_file.h"

namespace memuse::ingest {
namespace {

class FileStream final : public ByteStream {
 public:
  // O_NONBLOCK: a named pipe must be refused, not waited for.
  explicit FileStream(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) throw ReadFault{std::strerror(errno)};
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw ReadFault{"not a regular file"};
    }
    size_ = static_cast<std::size_t>(status.st_size);
  }
  ~FileStream() override { ::close(descriptor_); }

  [[nodiscard]] std::size_t expected() const override { return size_; }

  void seek(std::size_t offset) {
    if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) throw ReadFault{std::strerror(errno)};
  }

  std::size_t read(char* buffer, std::size_t size) override {
    while (true) {
      const ssize_t got = ::read(descriptor_, buffer, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw ReadFault{std::strerror(errno)};
    }
  }

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

/// The next bytes of a stream, up to a number of them.
class LimitedStream final : public ByteStream {
 public:
  LimitedStream(std::unique_ptr<ByteStream> stream, std::uint64_t bytes) : stream_(std::move(stream)), left_(bytes) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t got = stream_->read(buffer, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)));
    left_ -= got;
    return got;
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t left_;
};

class StringStream final : public ByteStream {
 public:
  explicit StringStream(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - position_);
    std::memcpy(buffer, bytes_.data() + position_, count);
    position_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

bool is_packed_head(std::string_view head) {
  return starts_like_gzip(head) || !packed_kind(head).empty();
}

bool is_packed(const std::string& path) {
  FileStream file(path);
  return is_packed_head(read_up_to(file, kPackedMagicBytes));
}

/// Reads past the next bytes.
void skip(ByteStream& stream, std::size_t bytes) {
  std::array<char, 16384> block{};
  while (bytes > 0) {
    const std::size_t got = stream.read(block.data(), std::min(bytes, block.size()));
    if (got == 0) return;
    bytes -= got;
  }
}

}  // namespace

std::unique_ptr<ByteStream> open_file(const std::string& path, std::size_t offset) {
  auto file = std::make_unique<FileStream>(path);
  const std::string head = read_up_to(*file, kPackedMagicBytes);
  if (!is_packed_head(head)) {
    file->seek(offset);
    return file;
  }
  file->seek(0);
  const ContainerLimits& limits = container_limits();
  std::unique_ptr<ByteStream> unpacked =
      starts_like_gzip(head) ? open_gzip(std::move(file), limits) : open_packed(std::move(file), limits);
  skip(*unpacked, offset);
  return unpacked;
}

std::unique_ptr<ByteStream> open_stored_file(const std::string& path) {
  return std::make_unique<FileStream>(path);
}

std::unique_ptr<ByteStream> open_stored_range(const std::string& path, std::uint64_t begin, std::uint64_t end) {
  auto file = std::make_unique<FileStream>(path);
  file->seek(begin);
  return std::make_unique<LimitedStream>(std::move(file), end > begin ? end - begin : 0);
}

std::unique_ptr<ByteStream> open_file_range(const std::string& path, std::uint64_t begin, std::uint64_t end) {
  if (begin > 0 && is_packed(path)) {
    if (auto part = open_unpacked_range(path, begin, end)) return part;
  }
  return std::make_unique<LimitedStream>(open_file(path, begin), end > begin ? end - begin : 0);
}

std::string read_up_to(ByteStream& stream, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = stream.read(bytes.data() + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  bytes.resize(filled);
  return bytes;
}

std::unique_ptr<ByteStream> open_string(std::string bytes) {
  return std::make_unique<StringStream>(std::move(bytes));
}

}  // namespace memuse::ingest
