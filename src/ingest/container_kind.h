#pragma once

#include <string>
#include <string_view>

namespace memuse::ingest {

/// Files that hold other files, as far as memuse takes them apart.
enum class ContainerKind : unsigned char {
  none,    ///< a file of its own
  tar,     ///< a tar archive, compressed or not
  zip,     ///< a zip archive
  unread,  ///< an archive of a kind that must be unpacked by hand
};

/// What a file is, by its first bytes.
struct ContainerSeen {
  ContainerKind kind = ContainerKind::none;
  std::string_view name;  ///< of the kind, for people
};

/// By the first bytes as they stand in the file, not unpacked: a zip, a tar, or something that must be unpacked.
[[nodiscard]] ContainerSeen container_of_head(std::string_view head);

/// True when the first bytes of a file may be those of an archive, or of a compressed one.
[[nodiscard]] bool may_be_container(std::string_view head);

/// Looks at the start of the file, unpacked where it is compressed. Files whose name ends in `.eval` are zip archives
/// that one adapter reads as a whole, and count as `none`. Throws ReadFault.
[[nodiscard]] ContainerSeen container_of_file(const std::string& path);

/// True for a file that memuse takes apart. What cannot be opened is none: reading it says why.
[[nodiscard]] bool is_archive(const std::string& path);

/// Bytes that `container_of_head` looks at.
inline constexpr std::size_t kContainerHeadBytes = 512;

}  // namespace memuse::ingest
