#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace memuse::test {

/// A member of an archive that a test makes.
struct Member {
  std::string name;
  std::string bytes;
  std::string link = {};      ///< where a symbolic link leads
  std::string hardlink = {};  ///< the member that it is another name of
  mode_t type = AE_IFREG;
};

/// How a test packs: a filter's name of libarchive (`zstd`, `xz`, `bzip2`, `gzip`, empty), and the format.
struct Packing {
  std::string filter;
  std::string format = "pax";
  std::string passphrase = {};
};

/// Writes an archive (or with format `raw` one compressed file) to `path`.
inline void write_archive(const std::string& path, const std::vector<Member>& members, const Packing& packing = {}) {
  archive* out = archive_write_new();
  if (!packing.filter.empty()) REQUIRE(archive_write_add_filter_by_name(out, packing.filter.c_str()) == ARCHIVE_OK);
  REQUIRE(archive_write_set_format_by_name(out, packing.format.c_str()) == ARCHIVE_OK);
  if (!packing.passphrase.empty()) {
    REQUIRE(archive_write_set_options(out, "zip:encryption=traditional") == ARCHIVE_OK);
    REQUIRE(archive_write_set_passphrase(out, packing.passphrase.c_str()) == ARCHIVE_OK);
  }
  REQUIRE(archive_write_open_filename(out, path.c_str()) == ARCHIVE_OK);
  for (const Member& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.name.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, member.link.empty() ? member.type : AE_IFLNK);
    archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()));
    if (!member.link.empty()) archive_entry_set_symlink(entry, member.link.c_str());
    if (!member.hardlink.empty()) archive_entry_set_hardlink(entry, member.hardlink.c_str());
    REQUIRE(archive_write_header(out, entry) >= ARCHIVE_WARN);  // names that the locale cannot say
    if (!member.bytes.empty()) {
      REQUIRE(archive_write_data(out, member.bytes.data(), member.bytes.size()) ==
              static_cast<la_ssize_t>(member.bytes.size()));
    }
    archive_entry_free(entry);
  }
  REQUIRE(archive_write_close(out) == ARCHIVE_OK);
  archive_write_free(out);
}

/// The bytes of such an archive.
inline std::string archive_bytes(const std::vector<Member>& members, const Packing& packing = {}) {
  const TemporaryFolder folder;
  write_archive(folder / "archive", members, packing);
  std::ifstream in(folder / "archive", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// One file, compressed.
inline std::string packed_bytes(const std::string& bytes, const std::string& filter) {
  return archive_bytes({{"data", bytes}}, {filter, "raw"});
}

}  // namespace memuse::test
