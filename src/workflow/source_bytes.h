#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/byte_stream.h"

namespace memuse::workflow {

/// Reads bytes of files again, most of them in ascending order: then each byte is read once. Memory: one block.
class SourceBytes {
 public:
  /// The first `size` bytes from `begin` on, fewer at the end of the file; nothing when they cannot be had.
  std::optional<std::string> first(const std::string& file, std::uint64_t begin, std::size_t size);
  /// Hands over all bytes from `begin` to `end`, piece by piece; false when they cannot be had.
  bool copy(const std::string& file, std::uint64_t begin, std::uint64_t end,
            const std::function<void(std::string_view)>& take);

 private:
  bool seek(const std::string& file, std::uint64_t begin);

  std::string file_;
  std::unique_ptr<ingest::ByteStream> stream_;
  std::string ahead_;  // read from the stream, from at_ on
  std::uint64_t at_ = 0;
};

}  // namespace memuse::workflow
