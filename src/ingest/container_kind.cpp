#include "ingest/container_kind.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "ingest/byte_stream.h"
#include "ingest/gzip_stream.h"
#include "ingest/packed_stream.h"

namespace memuse::ingest {
namespace {

/// Place and size of the checksum in a tar header.
constexpr std::size_t kTarSumAt = 148;
constexpr std::size_t kTarSumBytes = 8;

std::optional<std::uint32_t> tar_sum_stated(std::string_view header) {
  std::string_view field = header.substr(kTarSumAt, kTarSumBytes);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::uint32_t sum = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), sum, 8);
  return error == std::errc{} ? std::optional(sum) : std::nullopt;
}

/// The sum over the header tells every kind of tar, also those from before there was a magic word.
bool looks_like_tar(std::string_view head) {
  if (head.size() < kContainerHeadBytes) return false;
  const std::optional<std::uint32_t> stated = tar_sum_stated(head);
  if (!stated || head[0] == '\0') return false;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kContainerHeadBytes; ++i) {
    const bool in_field = i >= kTarSumAt && i < kTarSumAt + kTarSumBytes;
    sum += in_field ? std::uint32_t{' '} : static_cast<unsigned char>(head[i]);
  }
  return sum == *stated;
}

struct UnreadKind {
  std::string_view magic;
  std::string_view name;
};
constexpr UnreadKind kUnreadKinds[] = {{"7z\xbc\xaf\x27\x1c", "a 7z archive"}, {"Rar!\x1a\x07", "a rar archive"},
                                       {"070701", "a cpio archive"},           {"!<arch>\n", "an ar archive"},
                                       {"\x04\x22\x4d\x18", "an lz4 file"},    {"LZIP", "an lzip file"},
                                       {"\x1f\x9d", "a file of compress"}};

}  // namespace

ContainerSeen container_of_head(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv))
    return {ContainerKind::zip, "a zip archive"};
  if (looks_like_tar(head)) return {ContainerKind::tar, "a tar archive"};
  for (const UnreadKind& kind : kUnreadKinds) {
    if (head.starts_with(kind.magic)) return {ContainerKind::unread, kind.name};
  }
  return {};
}

bool may_be_container(std::string_view head) {
  return starts_like_gzip(head) || !packed_kind(head).empty() || container_of_head(head).kind != ContainerKind::none;
}

ContainerSeen container_of_file(const std::string& path) {
  if (path.ends_with(".eval")) return {};
  const std::string stored = read_up_to(*open_stored_file(path), kContainerHeadBytes);
  const bool packed = starts_like_gzip(stored) || !packed_kind(stored).empty();
  if (!packed) return container_of_head(stored);
  const ContainerSeen inside = container_of_head(read_up_to(*open_file(path), kContainerHeadBytes));
  // The table of a zip stands at its end: a compressed one would have to be unpacked before it can be looked at.
  if (inside.kind == ContainerKind::zip) return {ContainerKind::unread, "a zip archive inside a compressed file"};
  return inside;
}

bool is_archive(const std::string& path) {
  try {
    const ContainerKind kind = container_of_file(path).kind;
    return kind == ContainerKind::tar || kind == ContainerKind::zip;
  } catch (const ReadFault&) {
    return false;
  }
}

}  // namespace memuse::ingest
