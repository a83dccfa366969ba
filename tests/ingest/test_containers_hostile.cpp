// Archives that were made to do harm: nothing is written outside, memory and disk stay bounded, and what is left out is
// said.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "ingest/archive_unpacker.h"
#include "ingest/pipeline.h"
#include "ingest/unpacked_archive.h"
#include "support/archives.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

using test::Member;
using test::TemporaryFolder;
using test::write_archive;

std::string lines_of(const std::vector<Diagnostic>& diagnostics) {
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics) all += to_line(diagnostic) + "\n";
  return all;
}

std::vector<std::string> files_below(const std::filesystem::path& root) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(root).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

using FilesBelow = std::vector<std::string>;

}  // namespace

TEST_CASE("members never leave their place") {
  const TemporaryFolder folder;
  const std::string path = folder / "outside.tar";
  write_archive(path, {{"../up.jsonl", "x"},
                       {"a/../../up.jsonl", "x"},
                       {"/absolute.jsonl", "x"},
                       {"door", "", "/tmp"},
                       {"door/through.jsonl", "x"},
                       {"hard.jsonl", "", "", "/etc/passwd"},
                       {"pipe", "", "", "", AE_IFIFO},
                       {"good.jsonl", "x"}});
  const UnpackedArchive unpacked(path, {});
  // The link is not made, so that what claims to lie behind it is a plain file of the archive.
  CHECK(files_below(unpacked.root()) == FilesBelow{"door/through.jsonl", "good.jsonl"});
  CHECK(unpacked.diagnostics().size() == 6);
  const std::string lines = lines_of(unpacked.diagnostics());
  CHECK(lines.find("its name leads out of the archive: a/../../up.jsonl") != std::string::npos);
  CHECK(lines.find("its name is absolute: /absolute.jsonl") != std::string::npos);
  CHECK(lines.find("it is a link: door") != std::string::npos);
  CHECK(lines.find("it is a link: hard.jsonl") != std::string::npos);
  CHECK(lines.find("pipe or the like: pipe") != std::string::npos);
}

TEST_CASE("names of members become safe paths or are refused") {
  CHECK(safe_member_path("a/./b//c") == "a/b/c");
  CHECK(safe_member_path("./") == "");
  for (const char* name : {"", "/a", "..", "../a", "a/..", "a/../b"}) {
    INFO(name);
    CHECK_THROWS_AS(safe_member_path(name), ReadFault);
  }
}

TEST_CASE("an archive that becomes too large is read to the limit") {
  const TemporaryFolder folder;
  const std::string zeros(std::size_t{80} << 20, '\0');
  for (const test::Packing& packing : {test::Packing{"zstd"}, test::Packing{"", "zip"}}) {
    const std::string path = folder / "bomb";
    write_archive(path, {{"good.jsonl", "x"}, {"zeros", zeros}, {"after", "x"}}, packing);
    const UnpackedArchive unpacked(path, ContainerLimits{10, 1000});
    CHECK(files_below(unpacked.root()) == FilesBelow{"good.jsonl"});
    const std::string lines = lines_of(unpacked.diagnostics());
    INFO(lines);
    CHECK(unpacked.diagnostics().size() == 1);
    CHECK(lines.find("more than 10 times its size") != std::string::npos);
    CHECK(lines.find("--max-expansion") != std::string::npos);
    // A limit that allows it: everything is there.
    CHECK(files_below(UnpackedArchive(path, kLargestContainerLimits).root()).size() == 3);
  }
}

TEST_CASE("a bomb inside an archive counts against the outer archive") {
  const TemporaryFolder folder;
  const std::string inner = test::archive_bytes({{"zeros", std::string(std::size_t{80} << 20, '\0')}}, {"zstd"});
  const std::string path = folder / "nested.tar";
  write_archive(path, {{"a.tar.zst", inner}, {"b.tar.zst", inner}}, {"zstd"});
  const UnpackedArchive unpacked(path, ContainerLimits{200, 1000});
  CHECK(lines_of(unpacked.diagnostics()).find("--max-expansion") != std::string::npos);
}

TEST_CASE("a compressed line that becomes too large is refused with the option that allows it") {
  const TemporaryFolder folder;
  for (const std::string filter : {"zstd", "xz", "bzip2", "gzip"}) {
    INFO(filter);
    const std::string path =
        folder.write("line.jsonl", test::packed_bytes(std::string(std::size_t{100} << 20, 'a'), filter));
    std::vector<Diagnostic> found;
    PipelineOptions options;
    options.jobs = 1;
    options.read.containers.expansion = 5;
    options.read.max_record_bytes = std::size_t{1} << 20;
    options.format = "memuse-trace";
    read_inputs(
        find_inputs({path}).files, options, [](Episode&&) {}, [&](FileReport&& file) { found = file.diagnostics; });
    CHECK(lines_of(found).find("--max-expansion") != std::string::npos);
  }
}

TEST_CASE("an archive of too many members is read to the limit") {
  const TemporaryFolder folder;
  std::vector<Member> members;
  for (int i = 0; i < 50; ++i) members.push_back({"m" + std::to_string(i), "x"});
  const std::string path = folder / "many.tar";
  write_archive(path, members);
  const UnpackedArchive unpacked(path, ContainerLimits{200, 20});
  CHECK(files_below(unpacked.root()).size() == 20);
  REQUIRE(unpacked.diagnostics().size() == 1);
  CHECK(unpacked.diagnostics()[0].detail.find("more than 20 members") != std::string::npos);
  CHECK(unpacked.diagnostics()[0].detail.find("--max-members") != std::string::npos);
}

TEST_CASE("folders that members bring along count as members") {
  const TemporaryFolder folder;
  std::string name;
  for (int i = 0; i < 100; ++i) name += "d/";
  write_archive(folder / "deep.tar", {{name + "a.jsonl", "x"}});
  const UnpackedArchive unpacked(folder / "deep.tar", ContainerLimits{200, 50});
  CHECK(files_below(unpacked.root()).empty());
  CHECK(lines_of(unpacked.diagnostics()).find("--max-members") != std::string::npos);
}

TEST_CASE("of members of one name the last one counts, as when unpacked by hand") {
  const TemporaryFolder folder;
  write_archive(folder / "twice.tar", {{"a.jsonl", "first"}, {"b", "x"}, {"b/c", "x"}, {"./a.jsonl", "second"}});
  const UnpackedArchive unpacked(folder / "twice.tar", {});
  CHECK(files_below(unpacked.root()) == FilesBelow{"a.jsonl", "b"});
  CHECK(read_up_to(*open_file((unpacked.root() / "a.jsonl").string()), 100) == "second");
  CHECK(unpacked.diagnostics().size() == 2);
  CHECK(lines_of(unpacked.diagnostics()).find("the name stands twice") != std::string::npos);
}

TEST_CASE("a cut archive keeps what was read before, with one diagnostic") {
  const TemporaryFolder folder;
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 600'000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  for (const std::string filter : {"", "zstd", "xz"}) {
    INFO(filter);
    std::string bytes = test::archive_bytes({{"a.jsonl", "whole"}, {"b.jsonl", noise}, {"c.jsonl", "lost"}}, {filter});
    bytes.resize(bytes.size() / 2);
    const UnpackedArchive unpacked(folder.write("cut.tar", bytes), {});
    const FilesBelow files = files_below(unpacked.root());
    if (filter != "xz") CHECK(files == FilesBelow{"a.jsonl", "b.jsonl"});
    REQUIRE(unpacked.diagnostics().size() == 1);
    CHECK(unpacked.diagnostics()[0].severity == Severity::error);
    CHECK(unpacked.diagnostics()[0].detail.find("what was read before is kept") != std::string::npos);
  }
}

TEST_CASE("an encrypted zip is refused member by member in clear words") {
  const TemporaryFolder folder;
  write_archive(folder / "locked.zip", {{"a.jsonl", "secret"}}, {"", "zip", "word"});
  const UnpackedArchive unpacked(folder / "locked.zip", {});
  CHECK(files_below(unpacked.root()).empty());
  REQUIRE(unpacked.diagnostics().size() == 1);
  CHECK(unpacked.diagnostics()[0].severity == Severity::error);
  CHECK(unpacked.diagnostics()[0].detail.find("encrypted; unpack it with its password") != std::string::npos);
}

TEST_CASE("names of members cannot write to the terminal") {
  const TemporaryFolder folder;
  write_archive(folder / "names.tar", {{"../\x1b[31mred\xe2\x80\xae.jsonl", "x"}}, {"", "gnutar"});
  const std::string lines = lines_of(UnpackedArchive(folder / "names.tar", {}).diagnostics());
  CHECK(lines.find('\x1b') == std::string::npos);
  CHECK(lines.find("\xe2\x80\xae") == std::string::npos);
  CHECK(lines.find("red") != std::string::npos);
}

TEST_CASE("names of members that are not ASCII stay what they are") {
  const TemporaryFolder folder;
  for (const std::string format : {"gnutar", "ustar"}) {
    write_archive(folder / "names.tar", {{"l\xc3\xa4ufe.jsonl", "x"}}, {"", format});
    CHECK(files_below(UnpackedArchive(folder / "names.tar", {}).root()) == FilesBelow{"l\xc3\xa4ufe.jsonl"});
  }
}

TEST_CASE("archives of other kinds are named with what to do about them") {
  const TemporaryFolder folder;
  const std::string path = folder.write("runs.7z", "7z\xbc\xaf\x27\x1c" + std::string(600, 'x'));
  std::vector<Diagnostic> found;
  read_inputs(
      find_inputs({path}).files, {}, [](Episode&&) {}, [&](FileReport&& file) { found = file.diagnostics; });
  REQUIRE(found.size() == 1);
  CHECK(found[0].detail == "it is a 7z archive; unpack it and name the folder");
}

TEST_CASE("random damage to an archive never escapes as anything but a diagnostic") {
  const TemporaryFolder folder;
  std::uint32_t x = 7;
  const auto next = [&x] { return (x = x * 1664525 + 1013904223) >> 8; };
  for (const test::Packing& packing : {test::Packing{""}, test::Packing{"zstd"}, test::Packing{"", "zip"}}) {
    const std::string whole = test::archive_bytes({{"a/b.jsonl", std::string(2000, 'q')}, {"c.jsonl", "x"}}, packing);
    for (int round = 0; round < 100; ++round) {
      std::string bytes = whole;
      for (int i = 0; i < 4; ++i) bytes[next() % bytes.size()] = static_cast<char>(next());
      const std::string path = folder.write("damaged", bytes);
      try {
        const UnpackedArchive unpacked(path, {});
        CHECK(files_below(unpacked.root()).size() <= 8);
      } catch (const ReadFault& fault) {
        CHECK_FALSE(fault.reason.empty());
      }
    }
  }
}

TEST_CASE("the temporary folder of an archive is gone at the end") {
  const TemporaryFolder folder;
  write_archive(folder / "runs.tar", {{"a.jsonl", "x"}});
  std::filesystem::path root;
  {
    const UnpackedArchive unpacked(folder / "runs.tar", {});
    root = unpacked.root();
    CHECK(std::filesystem::exists(root / "a.jsonl"));
  }
  CHECK_FALSE(std::filesystem::exists(root));
}

}  // namespace memuse::ingest
