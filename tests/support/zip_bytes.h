#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace memuse::test {

/// A zip of these members, in that order. `compression` is libarchive's name (`deflate`, `store`).
inline std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& members,
                             const char* compression = "deflate") {
  std::string bytes(std::size_t{1} << 20, '\0');
  for (const auto& [name, text] : members) bytes.resize(bytes.size() + name.size() * 4 + text.size() + 1000);
  std::size_t used = 0;
  archive* zip = ::archive_write_new();
  REQUIRE(::archive_write_set_format_zip(zip) == ARCHIVE_OK);
  REQUIRE(::archive_write_set_format_option(zip, "zip", "compression", compression) == ARCHIVE_OK);
  REQUIRE(::archive_write_open_memory(zip, bytes.data(), bytes.size(), &used) == ARCHIVE_OK);
  for (const auto& [name, text] : members) {
    archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, name.c_str());
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    ::archive_entry_set_filetype(entry, AE_IFREG);
    ::archive_entry_set_perm(entry, 0644);
    REQUIRE(::archive_write_header(zip, entry) == ARCHIVE_OK);
    REQUIRE(::archive_write_data(zip, text.data(), text.size()) == static_cast<la_ssize_t>(text.size()));
    ::archive_entry_free(entry);
  }
  REQUIRE(::archive_write_close(zip) == ARCHIVE_OK);
  ::archive_write_free(zip);
  bytes.resize(used);
  return bytes;
}

}  // namespace memuse::test
