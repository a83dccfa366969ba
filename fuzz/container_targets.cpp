// Packed files: what they hold is told, or why it cannot be had, and reading from the middle gives the same bytes.
// Archives: their members stay below their place and within the limits.

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>

#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "ingest/byte_stream.h"
#include "ingest/container_limits.h"
#include "ingest/unpacked_archive.h"

namespace memuse::fuzz {
namespace {

using ingest::ReadFault;

struct Unpacked {
  std::string bytes;
  std::string fault;
};

/// All bytes from `offset` on, up to a bound, read in pieces.
Unpacked unpack(const std::string& path, std::size_t offset, std::size_t piece) {
  constexpr std::size_t kMost = std::size_t{1} << 21;
  Unpacked unpacked;
  try {
    const auto stream = ingest::open_file(path, offset);
    for (std::string part = read_up_to(*stream, piece); !part.empty() && unpacked.bytes.size() < kMost;
         part = read_up_to(*stream, piece)) {
      unpacked.bytes += part;
    }
  } catch (const ReadFault& fault) {
    unpacked.fault = fault.reason;
    if (fault.reason.empty()) throw BrokenProperty("a fault without a reason");
  }
  return unpacked;
}

void run_container(std::string_view bytes) {
  const MemoryFile file(bytes);
  const Unpacked whole = unpack(file.path(), 0, std::size_t{1} << 16);
  const Unpacked pieces = unpack(file.path(), 0, 4093);
  const std::size_t common = std::min(whole.bytes.size(), pieces.bytes.size());
  if (whole.bytes.compare(0, common, pieces.bytes, 0, common) != 0) throw BrokenProperty("pieces hold other bytes");
  if (whole.fault != pieces.fault) throw BrokenProperty("pieces end otherwise: " + whole.fault + pieces.fault);
  if (!whole.fault.empty()) return;
  const std::size_t middle = whole.bytes.size() / 2;
  const Unpacked rest = unpack(file.path(), middle, std::size_t{1} << 16);
  const std::size_t tail = std::min(rest.bytes.size(), whole.bytes.size() - middle);
  if (rest.bytes.compare(0, tail, whole.bytes, middle, tail) != 0) throw BrokenProperty("the middle holds other bytes");
}

/// One gzip member.
std::string gzip_member(const std::string& text, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::vector<std::string> container_seeds() {
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += "{\"row\": " + std::to_string(i * 7919) + "}\n";
  return {rows, gzip_member("", 6), gzip_member("short", 0), gzip_member(rows, 9),
          gzip_member("one", 6) + gzip_member("two", 1)};
}

/// What stands below the folder of an unpacked archive, by its path there.
struct UnpackedFiles {
  std::size_t count = 0;
  std::uintmax_t bytes = 0;
};

UnpackedFiles files_below(const std::filesystem::path& root) {
  UnpackedFiles files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_symlink() || (!entry.is_regular_file() && !entry.is_directory())) {
      throw BrokenProperty("an archive made something that is neither a file nor a folder");
    }
    ++files.count;
    if (entry.is_regular_file()) files.bytes += entry.file_size();
  }
  return files;
}

/// The root lies alone in the temporary folder that was made for it.
void hold_place(const std::filesystem::path& root) {
  for (std::filesystem::path at = root; !at.filename().string().starts_with("memuse-"); at = at.parent_path()) {
    if (at == at.parent_path()) throw BrokenProperty("the members have no temporary folder");
    const auto inside = std::filesystem::directory_iterator(at.parent_path());
    if (std::distance(begin(inside), end(inside)) != 1) throw BrokenProperty("a member left its place");
  }
}

void run_archive(std::string_view bytes) {
  constexpr std::uint64_t kMembers = 200;
  const MemoryFile file(bytes);
  ingest::ContainerLimits limits;
  limits.expansion = 1;
  limits.members = kMembers;
  try {
    const ingest::UnpackedArchive archive(file.path(), limits);
    const UnpackedFiles files = files_below(archive.root());
    // A member may be counted when it is too many, and then not be written.
    if (files.count > kMembers) throw BrokenProperty("more members than may be");
    if (files.bytes > ingest::kExpansionAllowance + 2 * bytes.size() + (std::uint64_t{1} << 20)) {
      throw BrokenProperty("more bytes than may be");
    }
    hold_place(archive.root());
    for (const Diagnostic& diagnostic : archive.diagnostics()) {
      if (diagnostic.detail.empty()) throw BrokenProperty("a diagnostic without words");
    }
  } catch (const ReadFault& fault) {
    if (fault.reason.empty()) throw BrokenProperty("a fault without a reason");
  }
}

struct ArchiveMember {
  std::string name;
  std::string bytes;
  std::string link = {};
};

std::string archive_of(const char* format, const std::vector<ArchiveMember>& members) {
  std::string out(std::size_t{1} << 18, '\0');
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_by_name(writer, format);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open_memory(writer, out.data(), out.size(), &used);
  for (const ArchiveMember& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.name.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, member.link.empty() ? AE_IFREG : AE_IFLNK);
    archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()));
    if (!member.link.empty()) archive_entry_set_symlink(entry, member.link.c_str());
    archive_write_header(writer, entry);
    archive_write_data(writer, member.bytes.data(), member.bytes.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  out.resize(used);
  return out;
}

std::vector<std::string> archive_seeds() {
  const std::vector<ArchiveMember> two{{"a.jsonl", "{}\n"}, {"inner/b.jsonl", "{\"b\":1}\n"}};
  const std::vector<ArchiveMember> hostile{{"../x", "out"},  {"/abs", "out"},  {"way", "", "/tmp"}, {"way/in", "out"},
                                           {"a//./b", "in"}, {"a.jsonl", "1"}, {"a.jsonl", "2"}};
  const std::string tar = archive_of("pax", two);
  std::vector<std::string> seeds{tar, gzip_member(tar, 9), archive_of("zip", two), archive_of("gnutar", two)};
  seeds.push_back(archive_of("pax", hostile));
  seeds.push_back(archive_of("zip", hostile));
  seeds.push_back(archive_of("pax", {{"inner.tgz", gzip_member(tar, 6)}, {"inner.zip", archive_of("zip", two)}}));
  seeds.push_back(archive_of("zip", {{"inner.tar", tar}}));
  return seeds;
}

}  // namespace

std::vector<Target> container_targets() {
  return {{"container", run_container, container_seeds}, {"archive", run_archive, archive_seeds}};
}

}  // namespace memuse::fuzz
