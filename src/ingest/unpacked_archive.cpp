#include "ingest/unpacked_archive.h"

#include <sys/stat.h>

#include <algorithm>
#include <future>
#include <list>
#include <mutex>
#include <system_error>
#include <tuple>
#include <utility>

#include "ingest/archive_unpacker.h"
#include "ingest/byte_stream.h"
#include "ingest/paths.h"

namespace memuse::ingest {
namespace {

using UnpackedFile = std::shared_ptr<const UnpackedArchive>;

/// What tells one state of one archive from another.
struct ArchiveState {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;
  std::uint64_t expansion = 0;
  std::uint64_t members = 0;

  friend bool operator==(const ArchiveState&, const ArchiveState&) = default;
};

ArchiveState state_of(const std::string& path, const ContainerLimits& limits) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw ReadFault{"no such file: " + path};
  return {full_path(path).string(), status.st_dev,          status.st_ino,    status.st_size,
          status.st_mtim.tv_sec,    status.st_mtim.tv_nsec, limits.expansion, limits.members};
}

/// The archives that were used last. Whoever asks for one that is being unpacked waits for it.
class RecentArchives {
 public:
  UnpackedFile get(const std::string& path, const ContainerLimits& limits) {
    const ArchiveState state = state_of(path, limits);
    std::promise<UnpackedFile> promise;
    std::shared_future<UnpackedFile> wanted;
    bool is_mine = false;
    std::list<Kept> dropped;  // removed from the disk after the lock is given back
    {
      const std::lock_guard lock(mutex_);
      const auto known =
          std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.state == state; });
      if (known != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, known);
      } else {
        is_mine = true;
        kept_.push_front({state, promise.get_future().share()});
        if (kept_.size() > kMostKept) dropped.splice(dropped.begin(), kept_, std::prev(kept_.end()));
      }
      wanted = kept_.front().archive;
    }
    if (is_mine) fill(path, limits, state, promise);
    return wanted.get();
  }

 private:
  static constexpr std::size_t kMostKept = 4;
  struct Kept {
    ArchiveState state;
    std::shared_future<UnpackedFile> archive;
  };

  void fill(const std::string& path, const ContainerLimits& limits, const ArchiveState& state,
            std::promise<UnpackedFile>& promise) {
    try {
      promise.set_value(std::make_shared<const UnpackedArchive>(path, limits));
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::lock_guard lock(mutex_);
      kept_.remove_if([&](const Kept& kept) { return kept.state == state; });
    }
  }

  std::mutex mutex_;
  std::list<Kept> kept_;
};

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
  static RecentArchives recent;
  return recent.get(path, limits);
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
