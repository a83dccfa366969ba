#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace memuse::ingest {

/// Bytes from somewhere, in order. A seam: files and compressed files here, strings in tests.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills up to `size` bytes and returns how many; 0 at the end. Throws `ReadFault` when the bytes cannot be had.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
  /// Bytes that are expected to follow, for whoever makes room for all of them; 0 when that is not known.
  [[nodiscard]] virtual std::size_t expected() const { return 0; }
};

/// The bytes of one input cannot be had (permission, I/O). Caught by the pipeline, which makes it a diagnostic.
struct ReadFault {
  std::string reason;
  bool limit = false;  ///< there is more, but a limit forbids to read it
};

/// Opens a file from byte `offset` on; a compressed file (gzip, zstd, xz, bzip2: told by its first bytes, whatever its
/// name) reads as, and counts, the bytes it holds, within the limits that hold for this thread
/// (ingest/container_limits.h). Throws `ReadFault`.
std::unique_ptr<ByteStream> open_file(const std::string& path, std::size_t offset = 0);

/// Opens a file as its bytes are stored, compressed or not. Throws `ReadFault`.
std::unique_ptr<ByteStream> open_stored_file(const std::string& path);

/// Bytes `begin` to `end` of a file as its bytes are stored; shorter when it ends before. Throws `ReadFault`.
std::unique_ptr<ByteStream> open_stored_range(const std::string& path, std::uint64_t begin, std::uint64_t end);

/// Bytes `begin` to `end` of a file, of a compressed one those that it holds; shorter when it ends before. Throws
/// `ReadFault`.
std::unique_ptr<ByteStream> open_file_range(const std::string& path, std::uint64_t begin, std::uint64_t end);

/// The next bytes of a stream: `size` of them, fewer only at its end. Throws `ReadFault`.
std::string read_up_to(ByteStream& stream, std::size_t size);

/// A stream over a copy of `bytes`.
std::unique_ptr<ByteStream> open_string(std::string bytes);

}  // namespace memuse::ingest
