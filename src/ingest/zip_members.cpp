#include "ingest/zip_members.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "ingest/container_limits.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kZipBlock = std::size_t{64} << 10;

/// What libarchive says; its messages may quote names of members.
std::string fault_of(archive* reader) {
  const char* message = ::archive_error_string(reader);
  return printable(message != nullptr ? message : "no more is known");
}

/// A regular file that begins like a zip, or -1.
int open_zip(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -1;
  struct stat status {};
  std::array<char, 4> head{};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && ::pread(file, head.data(), head.size(), 0) == 4 && starts_like_zip({head.data(), head.size()}))
    return file;
  ::close(file);
  return -1;
}

/// A file without a name that holds what the stream gives.
int spooled(ByteStream& stream) {
  std::FILE* temporary = std::tmpfile();
  if (temporary == nullptr) throw ReadFault{fmt::format("no temporary file can be made: {}", std::strerror(errno))};
  std::string block(kZipBlock, '\0');
  bool written = true;
  for (std::size_t got = 1; got > 0 && written;) {
    got = stream.read(block.data(), block.size());
    written = std::fwrite(block.data(), 1, got, temporary) == got;
  }
  written = std::fflush(temporary) == 0 && written;
  const int file = written ? ::dup(::fileno(temporary)) : -1;
  std::fclose(temporary);
  if (file < 0) throw ReadFault{fmt::format("a temporary copy cannot be written: {}", std::strerror(errno))};
  return file;
}

}  // namespace

bool starts_like_zip(std::string_view head) {
  return head.starts_with(std::string_view("PK\x03\x04", 4)) || head.starts_with(std::string_view("PK\x05\x06", 4));
}

struct ZipMembers::Parts {
  ~Parts() {
    if (reader != nullptr) ::archive_read_free(reader);
    if (file >= 0) ::close(file);
  }

  void open() {
    if (reader != nullptr) ::archive_read_free(reader);
    reader = ::archive_read_new();
    if (reader == nullptr) throw std::bad_alloc();
    members = 0;
    ::archive_read_support_format_zip_seekable(reader);
    if (::lseek(file, 0, SEEK_SET) < 0 || ::archive_read_open_fd(reader, file, kZipBlock) != ARCHIVE_OK) {
      throw ReadFault{"no zip that can be read: " + fault_of(reader)};
    }
  }

  int file = -1;
  archive* reader = nullptr;
  std::uint64_t size = 0;
  std::uint64_t unpacked = 0;
  std::size_t members = 0;
  std::string name;
};

ZipMembers::ZipMembers(const std::string& path, std::unique_ptr<ByteStream> stream)
    : parts_(std::make_unique<Parts>()) {
  parts_->file = open_zip(path);
  if (parts_->file < 0) parts_->file = spooled(*stream);
  struct stat status {};
  if (::fstat(parts_->file, &status) == 0) parts_->size = static_cast<std::uint64_t>(status.st_size);
  parts_->open();
}

ZipMembers::~ZipMembers() = default;

bool ZipMembers::next() {
  while (true) {
    archive_entry* entry = nullptr;
    const int status = ::archive_read_next_header(parts_->reader, &entry);
    if (status == ARCHIVE_EOF) return false;
    if (status < ARCHIVE_WARN) throw ReadFault{"damaged zip: " + fault_of(parts_->reader)};
    if (++parts_->members > container_limits().members) {
      throw ReadFault{fmt::format("the zip has more than {} members (--max-members)", container_limits().members)};
    }
    const char* name = ::archive_entry_pathname(entry);
    if (name == nullptr || ::archive_entry_filetype(entry) == AE_IFDIR) continue;
    parts_->name = name;
    return true;
  }
}

const std::string& ZipMembers::name() const {
  return parts_->name;
}

std::string ZipMembers::read(std::size_t max_bytes) {
  std::string bytes;
  std::string block(kZipBlock, '\0');
  while (true) {
    const la_ssize_t got = ::archive_read_data(parts_->reader, block.data(), block.size());
    if (got == 0) return bytes;
    if (got < 0) throw ReadFault{fmt::format("{}: {}", printable(parts_->name), fault_of(parts_->reader))};
    const auto count = static_cast<std::size_t>(got);
    parts_->unpacked += count;
    if (expands_too_far(parts_->size, parts_->unpacked, container_limits())) {
      throw ReadFault{
          fmt::format("the zip becomes more than {} times its size (--max-expansion)", container_limits().expansion)};
    }
    if (bytes.size() + count > max_bytes) {
      throw ReadFault{
          fmt::format("{} has more than {} bytes (--max-record-bytes)", printable(parts_->name), max_bytes)};
    }
    bytes.append(block.data(), count);
  }
}

void ZipMembers::rewind() {
  parts_->open();
}

std::uint64_t ZipMembers::size() const {
  return parts_->size;
}

}  // namespace memuse::ingest
