#include "ingest/inputs.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "../support/temporary_folder.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::vector<std::string> paths(const InputList& list) {
  std::vector<std::string> all;
  for (const Input& input : list.files) all.push_back(input.path);
  return all;
}

std::vector<Fault> faults(const InputList& list) {
  std::vector<Fault> all;
  for (const Diagnostic& diagnostic : list.diagnostics) all.push_back(diagnostic.fault);
  return all;
}

using Paths = std::vector<std::string>;
using Faults = std::vector<Fault>;

TEST_CASE("folders are searched in depth, sorted, without hidden names") {
  const TemporaryFolder folder;
  folder.write("b.jsonl", "x");
  folder.write("a/z.jsonl", "x");
  folder.write("a/deep/er/y.txt", "x");
  folder.write("a-file", "x");
  folder.write(".hidden.jsonl", "x");
  folder.write(".git/config", "x");
  const InputList found = find_inputs({folder.path().string()});
  CHECK(paths(found) == Paths{folder / "a-file", folder / "a/deep/er/y.txt", folder / "a/z.jsonl", folder / "b.jsonl"});
  CHECK(found.diagnostics.empty());
  for (const Input& input : found.files) CHECK_FALSE(input.named);
}

TEST_CASE("a named file is taken whatever it is called, and once") {
  const TemporaryFolder folder;
  const std::string hidden = folder.write(".hidden", "x");
  const std::string plain = folder.write("plain", "x");
  const InputList found =
      find_inputs({plain, hidden, plain, folder.path().string(), folder.path().string() + "/./plain"});
  REQUIRE(found.files.size() == 2);
  CHECK(found.files[0].path == folder.path().string() + "/./plain");
  CHECK(found.files[0].named);
  CHECK(found.files[1].path == hidden);
  CHECK(found.diagnostics.empty());
}

TEST_CASE("what does not exist is told") {
  const TemporaryFolder folder;
  const InputList found = find_inputs({folder / "missing"});
  CHECK(found.files.empty());
  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].fault == Fault::unreadable_file);
  CHECK(found.diagnostics[0].severity == Severity::error);
  CHECK(found.diagnostics[0].file == folder / "missing");
}

TEST_CASE("an empty folder is told, a folder named twice is not an empty one") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "empty");
  CHECK(faults(find_inputs({folder / "empty"})) == Faults{Fault::no_traces_found});
  folder.write("full/a", "x");
  const InputList twice = find_inputs({folder / "full", folder / "full"});
  CHECK(twice.files.size() == 1);
  CHECK(faults(twice) == Faults{Fault::input_loop});
  CHECK(twice.diagnostics[0].severity == Severity::note);
  const InputList inside = find_inputs({folder / "full", folder.path().string()});
  CHECK(inside.files.size() == 1);
  CHECK(faults(inside) == Faults{Fault::input_loop});
}

TEST_CASE("links to folders are followed, each folder once") {
  const TemporaryFolder folder;
  folder.write("a/one", "x");
  fs::create_directory_symlink(folder.path(), folder / "a/loop");
  fs::create_directory_symlink(folder / "a", folder / "b");
  fs::create_symlink(folder / "nowhere", folder / "broken");
  fs::create_symlink(folder / "self", folder / "self");
  const InputList found = find_inputs({folder.path().string()});
  CHECK(paths(found) == Paths{folder / "a/one"});
  REQUIRE(found.diagnostics.size() == 4);
  CHECK(found.diagnostics[0].file == folder / "a/loop");
  CHECK(found.diagnostics[0].fault == Fault::input_loop);
  CHECK(found.diagnostics[1].file == folder / "b");
  CHECK(found.diagnostics[1].fault == Fault::input_loop);
  CHECK(found.diagnostics[2].file == folder / "broken");
  CHECK(found.diagnostics[2].fault == Fault::unreadable_file);
  CHECK(found.diagnostics[3].file == folder / "self");
  CHECK(found.diagnostics[3].fault == Fault::unreadable_file);
}

TEST_CASE("a file under several names is read once") {
  const TemporaryFolder folder;
  folder.write("real", "x");
  fs::create_symlink(folder / "real", folder / "also");
  CHECK(paths(find_inputs({folder.path().string()})) == Paths{folder / "also"});
  CHECK(paths(find_inputs({folder.path().string(), folder / "real"})) == Paths{folder / "real"});
}

TEST_CASE("pipes in a folder are left out") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  folder.write("file", "x");
  CHECK(paths(find_inputs({folder.path().string()})) == Paths{folder / "file"});
}

/// Runs `work` as a user without rights over others' files; its result is the exit status.
int as_unprivileged(const std::function<int()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(99);
    ::_exit(work());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_CASE("a folder that may not be listed is told, the rest is found") {
  const TemporaryFolder folder;
  folder.write("open/a", "x");
  folder.write("shut/b", "x");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder / "shut", fs::perms::none);
  const int status = as_unprivileged([&] {
    const InputList found = find_inputs({folder.path().string()});
    if (paths(found) != Paths{folder / "open/a"}) return 1;
    if (faults(found) != Faults{Fault::unreadable_file}) return 2;
    if (found.diagnostics[0].file != folder / "shut") return 3;
    const InputList shut = find_inputs({folder / "shut"});
    return shut.files.empty() && faults(shut) == Faults{Fault::unreadable_file} ? 0 : 4;
  });
  fs::permissions(folder / "shut", fs::perms::owner_all);
  CHECK(status == 0);
}

}  // namespace
}  // namespace memuse::ingest
