#pragma once

#include <memory>
#include <string_view>

#include "ingest/byte_stream.h"
#include "ingest/container_limits.h"

namespace memuse::ingest {

/// Bytes of a file's start that tell how it is compressed.
inline constexpr std::size_t kPackedMagicBytes = 6;

/// Name of the compression (`zstd`, `xz`, `bzip2`) that the first bytes of a file show; empty for none of these. No
/// trace format starts so.
[[nodiscard]] std::string_view packed_kind(std::string_view head);

/// The bytes that a zstd, xz or bzip2 stream holds, of all its frames one after the other. Memory: a few blocks and the
/// window that the stream asks for (128 MiB at most for zstd). `read` throws ReadFault where the stream is damaged,
/// ends too early or becomes larger than the limits allow.
[[nodiscard]] std::unique_ptr<ByteStream> open_packed(std::unique_ptr<ByteStream> compressed,
                                                      const ContainerLimits& limits);

}  // namespace memuse::ingest
