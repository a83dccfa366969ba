#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// Bytes `begin` to `end` of what a compressed file holds. Such a file can only be read from its start: whoever comes
/// back for a part behind it gets it from a copy that is unpacked once, below the folder for temporary files; the
/// copies of the last few files are kept until the program ends. Null when the copy could not be made that far.
/// Thread-safe.
std::unique_ptr<ByteStream> open_unpacked_range(const std::string& path, std::uint64_t begin, std::uint64_t end);

}  // namespace memuse::ingest
