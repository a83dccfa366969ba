#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// True when a file begins like a zip.
[[nodiscard]] bool starts_like_zip(std::string_view head);

/// The members of a zip, one after the other, whichever way they are packed (stored, deflate, zstd in any number of
/// frames). Nothing is written anywhere. Memory: one member.
class ZipMembers {
 public:
  /// Opens the zip at `path`; the bytes of `stream` where that is no file of its own (it was packed, say): they go to a
  /// temporary file without a name. Throws ReadFault.
  ZipMembers(const std::string& path, std::unique_ptr<ByteStream> stream);
  ~ZipMembers();
  ZipMembers(const ZipMembers&) = delete;
  ZipMembers& operator=(const ZipMembers&) = delete;

  /// Goes to the next member, false at the end. Throws ReadFault where the zip is damaged, and when it has more members
  /// than the limits for containers allow.
  bool next();
  /// Name of the member.
  [[nodiscard]] const std::string& name() const;
  /// Its bytes; at most once for each. Throws ReadFault where they cannot be had (damage, encryption), when there are
  /// more than `max_bytes`, and when the zip as a whole becomes larger than the limits for containers allow.
  [[nodiscard]] std::string read(std::size_t max_bytes);
  /// Starts again with the first member.
  void rewind();
  /// Bytes of the zip.
  [[nodiscard]] std::uint64_t size() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace memuse::ingest
