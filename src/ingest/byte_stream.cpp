#include "ingest/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace memuse::ingest {
namespace {

class FileStream final : public ByteStream {
 public:
  // O_NONBLOCK: a named pipe must be refused, not waited for.
  FileStream(const std::string& path, std::size_t offset)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) throw ReadFault{std::strerror(errno)};
    struct stat status {};
    const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!regular || ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) {
      ::close(descriptor_);
      throw ReadFault{"not a regular file"};
    }
  }
  ~FileStream() override { ::close(descriptor_); }

  std::size_t read(char* buffer, std::size_t size) override {
    while (true) {
      const ssize_t got = ::read(descriptor_, buffer, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw ReadFault{std::strerror(errno)};
    }
  }

 private:
  int descriptor_;
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

}  // namespace

std::unique_ptr<ByteStream> open_file(const std::string& path, std::size_t offset) {
  return std::make_unique<FileStream>(path, offset);
}

std::unique_ptr<ByteStream> open_string(std::string bytes) {
  return std::make_unique<StringStream>(std::move(bytes));
}

}  // namespace memuse::ingest
