#pragma once

#include <memory>
#include <string_view>

#include "ingest/byte_stream.h"

namespace memuse::ingest {

/// True when the first bytes of a file are those of a gzip file (RFC 1952). No trace format starts so.
[[nodiscard]] bool starts_like_gzip(std::string_view head);

/// What a gzip file may become: this many bytes for each of its own beyond a first allowance. JSON Lines of traces come
/// to a tenth of that; a file made to exhaust the reader comes to a thousand.
inline constexpr std::uint64_t kGzipExpansion = 200;
inline constexpr std::uint64_t kGzipAllowance = std::uint64_t{64} << 20;

/// The bytes that a gzip stream holds, of all its members one after the other. Memory: two blocks, whatever the stream
/// holds. `read` throws ReadFault where the stream is damaged, ends too early, has something else behind its members,
/// or becomes larger than `kGzipExpansion` allows.
[[nodiscard]] std::unique_ptr<ByteStream> open_gzip(std::unique_ptr<ByteStream> compressed);

}  // namespace memuse::ingest
