#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace memuse::ingest {

/// Bytes from somewhere, in order. A seam: files here, members of archives later, strings in tests.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills up to `size` bytes and returns how many; 0 at the end. Throws `ReadFault` when the bytes cannot be had.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

/// The bytes of one input cannot be had (permission, I/O). Caught by the pipeline, which makes it a diagnostic.
struct ReadFault {
  std::string reason;
};

/// Opens a file, from byte `offset` on. Throws `ReadFault`.
std::unique_ptr<ByteStream> open_file(const std::string& path, std::size_t offset = 0);

/// A stream over a copy of `bytes`.
std::unique_ptr<ByteStream> open_string(std::string bytes);

}  // namespace memuse::ingest
