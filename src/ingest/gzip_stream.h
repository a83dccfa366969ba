#pragma once

#include <memory>
#include <string_view>

#include "ingest/byte_stream.h"
#include "ingest/container_limits.h"

namespace memuse::ingest {

/// True when the first bytes of a file are those of a gzip file (RFC 1952). No trace format starts so.
[[nodiscard]] bool starts_like_gzip(std::string_view head);

/// The bytes that a gzip stream holds, of all its members one after the other. Memory: two blocks, whatever the stream
/// holds. `read` throws ReadFault where the stream is damaged, ends too early, has something else behind its members,
/// or becomes larger than the limits allow.
[[nodiscard]] std::unique_ptr<ByteStream> open_gzip(std::unique_ptr<ByteStream> compressed,
                                                    const ContainerLimits& limits = {});

}  // namespace memuse::ingest
