#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace memuse::store {

/// Microseconds since 1970-01-01T00:00:00Z of an RFC 3339 time (`2026-03-01T10:00:00.25+02:00`); finer digits are cut
/// off. A time without a zone counts as UTC; a space may stand for the `T`. Nothing for anything else.
std::optional<std::int64_t> microseconds_of(std::string_view rfc3339);

}  // namespace memuse::store
