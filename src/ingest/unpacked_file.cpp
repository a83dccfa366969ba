#include "ingest/unpacked_file.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "ingest/container_limits.h"
#include "ingest/recent_places.h"
#include "ingest/temporary_place.h"

namespace memuse::ingest {
namespace {

/// What a compressed file holds, up to its end or to the first fault, as a file.
class UnpackedFile {
 public:
  explicit UnpackedFile(const std::string& path) : copy_(place_.path() / "bytes") {
    std::ofstream out(copy_, std::ios::binary);
    const auto stream = open_file(path);
    std::array<char, std::size_t{64} << 10> block{};
    try {
      while (const std::size_t got = stream->read(block.data(), block.size())) {
        out.write(block.data(), static_cast<std::streamsize>(got));
        size_ += got;
      }
    } catch (const ReadFault&) {
      // Whoever wants more than was read before the fault meets it in the file itself.
    }
    out.close();
    if (!out) throw ReadFault{"no room for an unpacked copy in the folder for temporary files (TMPDIR)"};
  }

  [[nodiscard]] const std::filesystem::path& copy() const { return copy_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  TemporaryPlace place_;
  std::filesystem::path copy_;
  std::uint64_t size_ = 0;
};

/// Keeps the copy on the disk while it is read.
class CopyStream final : public ByteStream {
 public:
  CopyStream(std::shared_ptr<const UnpackedFile> file, std::uint64_t begin, std::uint64_t end)
      : file_(std::move(file)), stream_(open_stored_range(file_->copy().string(), begin, end)) {}
  std::size_t read(char* buffer, std::size_t size) override { return stream_->read(buffer, size); }

 private:
  std::shared_ptr<const UnpackedFile> file_;
  std::unique_ptr<ByteStream> stream_;
};

std::shared_ptr<const UnpackedFile> unpacked_file(const std::string& path) {
  constexpr std::size_t kMostKept = 4;
  static RecentPlaces<UnpackedFile> recent(kMostKept);
  return recent.get(path, container_limits(), [&] { return std::make_shared<const UnpackedFile>(path); });
}

}  // namespace

std::unique_ptr<ByteStream> open_unpacked_range(const std::string& path, std::uint64_t begin, std::uint64_t end) {
  try {
    std::shared_ptr<const UnpackedFile> file = unpacked_file(path);
    if (end > file->size()) return nullptr;
    return std::make_unique<CopyStream>(std::move(file), begin, end);
  } catch (const ReadFault&) {
    return nullptr;  // no room for the copy; the file itself can still be read
  }
}

}  // namespace memuse::ingest
