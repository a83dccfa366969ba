#include "ingest/archive_unpacker.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "ingest/byte_stream.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestShownName = 200;

/// Nothing more of the whole archive is read.
struct UnpackingEnds {
  std::string reason;
};
/// One member is left out.
struct MemberLeftOut {
  std::string reason;
  Severity severity = Severity::warning;  // error when it may have held traces
};

/// A file that is written; what is not kept is removed again.
class MemberFile {
 public:
  explicit MemberFile(fs::path path) : path_(std::move(path)) {
    // O_EXCL and O_NOFOLLOW: the folder is ours and has no links, and it must stay so.
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor_ < 0) throw MemberLeftOut{std::strerror(errno)};
  }
  ~MemberFile() {
    ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
  }
  MemberFile(const MemberFile&) = delete;
  MemberFile& operator=(const MemberFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        throw UnpackingEnds{fmt::format("cannot write to the temporary folder: {}; set TMPDIR to a folder with room",
                                        std::strerror(errno))};
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

[[noreturn]] void expands_over_limit(const ContainerLimits& limits) {
  throw UnpackingEnds{
      fmt::format("the archive becomes more than {} times its size; what follows is not read; if that is right, raise "
                  "--max-expansion",
                  limits.expansion)};
}

/// Names are bytes to us; libarchive has some of them in UTF-8 only, which the locale may not be able to say.
std::string member_name(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  return name == nullptr ? std::string() : std::string(name);
}

std::string_view why_not_a_file(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) == AE_IFLNK) return "a link";
  return "a device, a pipe or the like";
}

bool is_hidden(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part.string().starts_with("."); });
}

std::uint64_t file_size(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

fs::path safe_member_path(std::string_view name) {
  if (name.empty()) throw ReadFault{"it has no name"};
  if (name.front() == '/') throw ReadFault{"its name is absolute"};
  fs::path path;
  for (const fs::path& part : fs::path(name)) {
    if (part == "..") throw ReadFault{"its name leads out of the archive"};
    if (part == "." || part.empty()) continue;
    path /= part;
  }
  return path;
}

void ArchiveUnpacker::unpack(const std::string& archive_path) {
  bytes_in_ = file_size(archive_path);
  std::vector<Job> jobs{{archive_path, root_, "", container_of_file(archive_path), 1}};
  // A list of our own: archives inside archives must not become calls inside calls.
  while (!jobs.empty()) {
    const Job job = std::move(jobs.back());
    jobs.pop_back();
    DiagnosticLog log(job.name);
    log_ = &log;
    bool ended = false;
    std::vector<Job> inner;
    try {
      unpack_one(job, inner);
    } catch (const UnpackingEnds& end) {
      log.add(Severity::error, Fault::unreadable_file, 0, 0, end.reason);
      ended = true;
    } catch (const ReadFault& fault) {
      if (job.depth == 1) throw;
      log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
    }
    log_ = nullptr;
    for (Diagnostic& diagnostic : log.take()) diagnostics_.push_back(std::move(diagnostic));
    if (job.depth > 1) ::unlink(job.file.c_str());
    if (ended) return;
    jobs.insert(jobs.end(), std::make_move_iterator(inner.rbegin()), std::make_move_iterator(inner.rend()));
  }
}

std::vector<Diagnostic> ArchiveUnpacker::take_diagnostics() {
  std::sort(diagnostics_.begin(), diagnostics_.end());
  return std::exchange(diagnostics_, {});
}

void ArchiveUnpacker::unpack_one(const Job& job, std::vector<Job>& inner) {
  const ContainerLimitsScope scope(limits_);
  // Before the reader, which uses it to its end.
  std::unique_ptr<ArchiveSource> source;
  const ArchiveHandle reader(archive_read_new());
  if (reader == nullptr) throw std::bad_alloc();
  if (job.seen.kind == ContainerKind::tar) {
    source = std::make_unique<ArchiveSource>(open_file(job.file));
    archive_read_support_format_tar(reader.get());
    source->attach(reader.get());
  } else {
    archive_read_support_format_zip(reader.get());
    constexpr std::size_t kBlock = std::size_t{64} << 10;
    if (archive_read_open_filename(reader.get(), job.file.c_str(), kBlock) != ARCHIVE_OK) {
      throw ReadFault{archive_fault(reader.get())};
    }
  }
  source_ = source.get();  // also resets what an archive before this one has left
  read_members(job, reader.get(), inner);
}

void ArchiveUnpacker::read_members(const Job& job, archive* opened, std::vector<Job>& inner) {
  const auto damaged = [&](const std::string& where) {
    const std::string reason =
        source_ != nullptr && source_->fault() ? source_->fault()->reason : archive_fault(opened);
    log_->add(Severity::error, Fault::unreadable_file, 0, 0,
              fmt::format("{}, {}; what was read before is kept, what follows is not read", reason, where));
  };
  std::string name;
  while (true) {
    stop_if_asked();
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(opened, &entry);
    if (status == ARCHIVE_EOF) return;
    if (status == ARCHIVE_FATAL) {
      return damaged(name.empty() ? "before the first member"
                                  : "after " + printable(shortened(name, kLongestShownName)));
    }
    count_entry();
    if (status == ARCHIVE_RETRY) continue;
    name = member_name(entry);
    try {
      read_member(job, opened, entry, inner);
    } catch (const MemberLeftOut& fault) {
      left_out(fault.severity, fault.reason, name);
    } catch (const ReadFault&) {
      return damaged("in " + printable(shortened(name, kLongestShownName)));
    }
  }
}

void ArchiveUnpacker::read_member(const Job& job, archive* opened, archive_entry* entry, std::vector<Job>& inner) {
  fs::path below;
  try {
    below = safe_member_path(member_name(entry));
  } catch (const ReadFault& fault) {
    throw MemberLeftOut{fault.reason};
  }
  if (archive_entry_filetype(entry) == AE_IFDIR && archive_entry_hardlink(entry) == nullptr) {
    if (!below.empty() && !is_hidden(below)) make_folders(job.folder / below);
    return;
  }
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
    throw MemberLeftOut{std::string("it is ") + std::string(why_not_a_file(entry))};
  }
  // Hidden files are passed over in folders, too.
  if (below.empty() || is_hidden(below)) return;
  if (archive_entry_is_encrypted(entry) != 0)
    throw MemberLeftOut{"it is encrypted; unpack it with its password", Severity::error};
  const fs::path file = job.folder / below;
  make_folders(file.parent_path());
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) throw MemberLeftOut{"a folder has the same name"};
    ::unlink(file.c_str());
    std::erase_if(inner, [&](const Job& other) { return other.file == file.string(); });
    log_->add(Severity::warning, Fault::skipped_member, 0, 0,
              fmt::format("the name stands twice; the last one is used: {}",
                          printable(shortened(below.string(), kLongestShownName))));
  }
  const std::string head = write_member(opened, file);
  if (may_be_container(head)) add_inner(job, below, inner);
}

std::string ArchiveUnpacker::write_member(archive* opened, const fs::path& file) {
  MemberFile out(file);
  std::string head;
  std::vector<char> block(std::size_t{64} << 10);
  while (true) {
    stop_if_asked();
    const la_ssize_t got = archive_read_data(opened, block.data(), block.size());
    const bool limit = source_ != nullptr && source_->fault() && source_->fault()->limit;
    if (got == ARCHIVE_FATAL && limit) expands_over_limit(limits_);
    if (got == ARCHIVE_FATAL) {
      out.keep();  // the lines before the damage are worth reading
      throw ReadFault{};
    }
    if (got < 0) throw MemberLeftOut{archive_fault(opened), Severity::error};
    if (got == 0) break;
    bytes_out_ += static_cast<std::uint64_t>(got);
    if (expands_too_far(bytes_in_, bytes_out_, limits_)) {
      expands_over_limit(limits_);
    }
    const std::string_view bytes(block.data(), static_cast<std::size_t>(got));
    if (head.size() < kContainerHeadBytes) head += bytes.substr(0, kContainerHeadBytes - head.size());
    out.write(bytes);
  }
  out.keep();
  return head;
}

void ArchiveUnpacker::stop_if_asked() const {
  if (limits_.stop != nullptr && limits_.stop->load()) throw UnpackingStopped{};
}

void ArchiveUnpacker::add_inner(const Job& job, const fs::path& below, std::vector<Job>& inner) {
  const std::string file = (job.folder / below).string();
  ContainerSeen seen;
  try {
    seen = container_of_file(file);
  } catch (const ReadFault&) {
    return;  // damaged: said when the file is read
  }
  if (seen.kind == ContainerKind::none || seen.kind == ContainerKind::unread) return;
  const std::string name = job.name.empty() ? below.string() : job.name + "!/" + below.string();
  if (job.depth == kMaxArchiveDepth) {
    throw MemberLeftOut{
        fmt::format("it is an archive inside archives, more than {} deep; unpack the outer ones", kMaxArchiveDepth),
        Severity::error};
  }
  inner.push_back({file, file + "!", name, seen, job.depth + 1});
}

void ArchiveUnpacker::make_folders(const fs::path& folder) {
  if (folder == last_folder_) return;
  fs::path made = root_;
  for (const fs::path& part : folder.lexically_relative(root_)) {
    if (part == ".") continue;
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0) {
      count_entry();
    } else if (errno != EEXIST) {
      throw MemberLeftOut{std::strerror(errno)};
    }
  }
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw MemberLeftOut{"a file has the name of its folder"};
  }
  last_folder_ = folder;
}

void ArchiveUnpacker::count_entry() {
  if (++entries_ <= limits_.members) return;
  throw UnpackingEnds{
      fmt::format("the archive has more than {} members and folders; what follows is not read; if that is right, raise "
                  "--max-members",
                  limits_.members)};
}

void ArchiveUnpacker::left_out(Severity severity, const std::string& reason, const std::string& name) {
  log_->add(severity, Fault::skipped_member, 0, 0,
            fmt::format("{}: {}", reason, printable(shortened(name, kLongestShownName))));
}

}  // namespace memuse::ingest
