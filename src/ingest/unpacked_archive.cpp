#include "ingest/unpacked_archive.h"

#include <sys/stat.h>

#include <system_error>

#include "ingest/archive_unpacker.h"
#include "ingest/byte_stream.h"
#include "ingest/paths.h"
#include "ingest/recent_places.h"

namespace memuse::ingest {
namespace {

/// The folder for the members: named like the archive, so that names that formats take from folders come out the same
/// as those of the path that is shown.
std::filesystem::path make_root(const std::filesystem::path& place, const std::string& archive_path) {
  std::filesystem::path root = place / full_path(archive_path).relative_path();
  root += "!";
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error) throw ReadFault{"cannot make a temporary folder: " + error.message()};
  return root;
}

bool is_regular(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

UnpackedArchive::UnpackedArchive(const std::string& path, const ContainerLimits& limits)
    : root_(make_root(place_.path(), path)) {
  ArchiveUnpacker unpacker(root_, limits);
  unpacker.unpack(path);
  diagnostics_ = unpacker.take_diagnostics();
}

std::shared_ptr<const UnpackedArchive> unpacked_archive(const std::string& path, const ContainerLimits& limits) {
  constexpr std::size_t kMostKept = 4;
  static RecentPlaces<UnpackedArchive> recent(kMostKept);
  return recent.get(path, limits, [&] { return std::make_shared<const UnpackedArchive>(path, limits); });
}

std::optional<MemberPath> member_path(const std::string& path) {
  std::error_code ignored;
  if (path.find('!') == std::string::npos || std::filesystem::exists(path, ignored)) return std::nullopt;
  for (std::size_t mark = path.find('!'); mark != std::string::npos; mark = path.find('!', mark + 1)) {
    const bool ends_name = mark + 1 == path.size() || path[mark + 1] == '/';
    if (!ends_name || !is_regular(path.substr(0, mark))) continue;
    return MemberPath{path.substr(0, mark), mark + 2 < path.size() ? path.substr(mark + 2) : std::string()};
  }
  return std::nullopt;
}

OpenPlace open_place(const std::string& path, const ContainerLimits& limits) {
  const std::optional<MemberPath> member = member_path(path);
  if (!member) return {path, "", "", nullptr};
  OpenPlace place;
  place.keep = unpacked_archive(member->archive, limits);
  place.root = place.keep->root().string();
  place.shown = member->archive + "!";
  place.path = member->below.empty() ? place.root : (place.keep->root() / safe_member_path(member->below)).string();
  return place;
}

}  // namespace memuse::ingest
