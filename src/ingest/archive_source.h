#pragma once

#include <archive.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

struct ArchiveCloser {
  void operator()(archive* opened) const { archive_read_free(opened); }
};
/// A reader of libarchive, freed at its end.
using ArchiveHandle = std::unique_ptr<archive, ArchiveCloser>;

/// What libarchive says of its last fault.
[[nodiscard]] std::string archive_fault(archive* opened);

/// Gives the bytes of a stream to libarchive and counts them. Must outlive the reader that it is attached to.
class ArchiveSource {
 public:
  explicit ArchiveSource(std::unique_ptr<ByteStream> stream);

  /// Opens `opened`, whose formats are chosen. Throws ReadFault.
  void attach(archive* opened);
  /// Bytes that were taken from the stream.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  /// The fault of the stream itself, when it had one: libarchive knows only that there was one.
  [[nodiscard]] const std::optional<ReadFault>& fault() const { return fault_; }

 private:
  static la_ssize_t give(archive* opened, void* source, const void** block);

  std::unique_ptr<ByteStream> stream_;
  std::vector<char> block_;
  std::uint64_t taken_ = 0;
  std::optional<ReadFault> fault_;
};

}  // namespace memuse::ingest
