// Archives and compressed files read as what they hold: the same episodes as the unpacked files, whatever the packing.

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "ingest/container_kind.h"
#include "ingest/episode_rereader.h"
#include "ingest/pipeline.h"
#include "ingest/unpacked_archive.h"
#include "support/archives.h"
#include "support/episode_text.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

using test::Member;
using test::TemporaryFolder;
using test::write_archive;

std::string container_trace(const std::string& id) {
  return R"({"type":"episode","schema":"memuse-trace/1","episode":")" + id + R"(","task_id":")" + id +
         R"(","configuration":"c","run":"r1","task":{"text":"Fix it"}}
{"type":"step","step":1,"id":"s1","response":"ok","actions":[],"results":[]}
{"type":"end","reason":"done"}
)";
}

struct ContainerReading {
  std::vector<std::string> episodes;  // texts, sorted
  std::vector<SourcePlace> places;
  std::vector<std::string> files;  // sorted paths of files with episodes
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] std::string details() const {
    std::string all;
    for (const Diagnostic& diagnostic : diagnostics) all += to_line(diagnostic) + "\n";
    return all;
  }
};

ContainerReading read_containers(const std::vector<std::string>& paths, PipelineOptions options = {}) {
  ContainerReading all;
  std::mutex mutex;
  InputList inputs = find_inputs(paths);
  all.diagnostics = inputs.diagnostics;
  read_inputs(
      inputs.files, options,
      [&](Episode&& episode) {
        const std::lock_guard lock(mutex);
        all.episodes.push_back(test::episode_text(episode));
        all.places.push_back(episode.source);
      },
      [&](FileReport&& file) {
        const std::lock_guard lock(mutex);
        if (file.episodes > 0) all.files.push_back(file.path);
        all.diagnostics.insert(all.diagnostics.end(), file.diagnostics.begin(), file.diagnostics.end());
      });
  std::sort(all.episodes.begin(), all.episodes.end());
  std::sort(all.files.begin(), all.files.end());
  std::sort(all.diagnostics.begin(), all.diagnostics.end());
  return all;
}

std::vector<Member> three_members() {
  return {
      {"a.jsonl", container_trace("a")}, {"below/b.jsonl", container_trace("b")}, {"./c.jsonl", container_trace("c")}};
}

std::string text_of_file(const std::string& path) {
  const auto stream = open_file(path);
  return read_up_to(*stream, std::size_t{1} << 20);
}

}  // namespace

TEST_CASE("a compressed file reads as what it holds, from any byte on, whatever its name") {
  const TemporaryFolder folder;
  const std::string text = container_trace("a") + container_trace("b");
  for (const std::string filter : {"zstd", "xz", "bzip2", "gzip"}) {
    INFO(filter);
    const std::string path = folder.write("trace.jsonl", test::packed_bytes(text, filter));
    CHECK(text_of_file(path) == text);
    CHECK(read_up_to(*open_file_range(path, 10, 50), 1000) == text.substr(10, 40));
    const ContainerReading read = read_containers({path});
    CHECK(read.episodes.size() == 2);
    CHECK(read.diagnostics.empty());
  }
}

TEST_CASE("a file that is only called like a compressed one is read as it is") {
  const TemporaryFolder folder;
  const ContainerReading read = read_containers({folder.write("trace.jsonl.zst", container_trace("a"))});
  CHECK(read.episodes.size() == 1);
  CHECK(read.diagnostics.empty());
}

TEST_CASE("several frames one after the other are one file") {
  const TemporaryFolder folder;
  for (const std::string filter : {"zstd", "xz", "bzip2"}) {
    INFO(filter);
    const std::string path = folder.write(
        "two", test::packed_bytes(container_trace("a"), filter) + test::packed_bytes(container_trace("b"), filter));
    CHECK(text_of_file(path) == container_trace("a") + container_trace("b"));
  }
}

TEST_CASE("a compressed file that ends too early keeps what was read before, with one diagnostic") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += container_trace("e" + std::to_string(i * 7919));
  for (const std::string filter : {"zstd", "xz", "bzip2"}) {
    INFO(filter);
    std::string packed = test::packed_bytes(text, filter);
    packed.resize(packed.size() - 9);
    const ContainerReading read = read_containers({folder.write("cut.jsonl", packed)});
    const auto faults = std::count_if(read.diagnostics.begin(), read.diagnostics.end(), [](const Diagnostic& found) {
      return found.fault == Fault::unreadable_file && found.severity == Severity::error;
    });
    CHECK(faults == 1);
    if (filter == "zstd") CHECK(!read.episodes.empty());
  }
}

TEST_CASE("an archive gives the episodes of its unpacked members, for any packing and any number of jobs") {
  const TemporaryFolder plain;
  for (const Member& member : three_members()) plain.write("runs/" + member.name, member.bytes);
  const ContainerReading expected = read_containers({plain / "runs"});
  REQUIRE(expected.episodes.size() == 3);
  const test::Packing packings[] = {{""},          {"gzip"},       {"zstd"},          {"xz"},     {"bzip2"},
                                    {"", "ustar"}, {"", "gnutar"}, {"zstd", "v7tar"}, {"", "zip"}};
  for (const test::Packing& packing : packings) {
    INFO(packing.filter << " " << packing.format);
    const TemporaryFolder folder;
    const std::string path = folder / "runs.archive";
    write_archive(path, three_members(), packing);
    for (const unsigned jobs : {1U, 4U}) {
      PipelineOptions options;
      options.jobs = jobs;
      const ContainerReading read = read_containers({path}, options);
      CHECK(read.episodes == expected.episodes);
      CHECK(read.details() == "");
      CHECK(read.files == std::vector<std::string>{path + "!/a.jsonl", path + "!/below/b.jsonl", path + "!/c.jsonl"});
    }
  }
}

TEST_CASE("an episode of an archive is read again at the place that it was given") {
  const TemporaryFolder folder;
  const std::string path = folder / "runs.tar.zst";
  write_archive(path, three_members(), {"zstd"});
  const ContainerReading read = read_containers({path});
  REQUIRE(read.places.size() == 3);
  for (const SourcePlace& place : read.places) {
    CHECK(place.path.starts_with(path + "!/"));
    Fault fault{};
    std::string detail;
    const auto again = EpisodeRereader().read(place, {}, fault, detail);
    REQUIRE(again);
    CHECK(again->source.path == place.path);
    CHECK(std::binary_search(read.episodes.begin(), read.episodes.end(), test::episode_text(*again)));
  }
  write_archive(path, {{"other.jsonl", container_trace("z")}}, {"zstd"});
  Fault fault{};
  std::string detail;
  CHECK_FALSE(EpisodeRereader().read(read.places.front(), {}, fault, detail));
  CHECK(fault == Fault::source_missing);
}

TEST_CASE("archives in folders and in archives are opened, and their members have paths that say so") {
  const TemporaryFolder folder;
  const std::string inner = test::archive_bytes({{"b.jsonl", container_trace("b")}}, {"gzip"});
  std::filesystem::create_directories(folder.path() / "study");
  write_archive(folder / "study/runs.zip", {{"a.jsonl", container_trace("a")}, {"deep/inner.tgz", inner}}, {"", "zip"});
  const ContainerReading read = read_containers({folder / "study"});
  CHECK(read.details() == "");
  const std::string archive = folder / "study/runs.zip!/";
  CHECK(read.files == std::vector<std::string>{archive + "a.jsonl", archive + "deep/inner.tgz!/b.jsonl"});
}

TEST_CASE("members with long names are read, whichever way the archive says them") {
  const std::string format = GENERATE("pax", "gnutar", "zip", "ustar");
  const TemporaryFolder folder;
  // ustar has 155 bytes for the folder and 100 for the name.
  const std::string name = std::string(format == "ustar" ? 90 : 240, 'f') + "/" + std::string(90, 'n') + ".jsonl";
  write_archive(folder / "runs.packed", {{name, container_trace("far")}, {"near.jsonl", container_trace("near")}},
                {"", format});
  const ContainerReading reading = read_containers({folder / "runs.packed"});
  INFO(reading.details());
  CHECK(reading.files == std::vector<std::string>{folder / "runs.packed!/" + name, folder / "runs.packed!/near.jsonl"});
  CHECK(reading.diagnostics.empty());
}

TEST_CASE("many members are read, each with its place") {
  const TemporaryFolder folder;
  std::vector<Member> members;
  for (int i = 0; i < 3000; ++i) {
    members.push_back({"run-" + std::to_string(i % 7) + "/" + std::to_string(i) + ".jsonl",
                       container_trace("e" + std::to_string(i))});
  }
  write_archive(folder / "runs.tar.zst", members, {"zstd"});
  const ContainerReading reading = read_containers({folder / "runs.tar.zst"});
  CHECK(reading.files.size() == 3000);
  CHECK(reading.episodes.size() == 3000);
  CHECK(reading.diagnostics.empty());
}

TEST_CASE("unpacking ends when it is asked to") {
  const TemporaryFolder folder;
  write_archive(folder / "runs.tar", {{"a.jsonl", container_trace("a")}, {"b.jsonl", container_trace("b")}});
  const std::atomic<bool> stop = true;
  ContainerLimits limits;
  limits.stop = &stop;
  CHECK_THROWS_AS(UnpackedArchive(folder / "runs.tar", limits), UnpackingStopped);
  CHECK_THROWS_AS(unpacked_archive(folder / "runs.tar", limits), UnpackingStopped);
  // Who comes later is not answered with what was stopped.
  CHECK(read_containers({folder / "runs.tar"}).episodes.size() == 2);
  PipelineOptions options;
  options.stop = &stop;
  const ContainerReading reading = read_containers({folder / "runs.tar"}, options);
  CHECK(reading.episodes.empty());
  CHECK(reading.diagnostics.empty());
}

TEST_CASE("archives inside archives end at a depth") {
  const TemporaryFolder folder;
  std::string bytes = test::archive_bytes({{"a.jsonl", container_trace("a")}});
  for (int depth = 1; depth < kMaxArchiveDepth; ++depth) bytes = test::archive_bytes({{"in.tar", bytes}});
  CHECK(read_containers({folder.write("fits.tar", bytes)}).episodes.size() == 1);
  const ContainerReading deeper = read_containers({folder.write("deep.tar", test::archive_bytes({{"in.tar", bytes}}))});
  CHECK(deeper.episodes.empty());
  CHECK(deeper.details().find("archive inside archives") != std::string::npos);
}

TEST_CASE("a part of an archive can be named, and a real file of that name wins") {
  const TemporaryFolder folder;
  const std::string path = folder / "runs.tar";
  write_archive(path, three_members());
  const ContainerReading part = read_containers({path + "!/below"});
  CHECK(part.files == std::vector<std::string>{path + "!/below/b.jsonl"});
  CHECK(read_containers({path + "!/a.jsonl", path + "!/below/b.jsonl"}).files.size() == 2);
  CHECK(read_containers({path + "!/below", path}).files.size() == 3);
  CHECK(read_containers({path + "!/none"}).details().find("o such file") != std::string::npos);
  folder.write("runs.tar!/below/own.jsonl", container_trace("own"));
  CHECK(read_containers({path + "!/below"}).files == std::vector<std::string>{path + "!/below/own.jsonl"});
}

TEST_CASE("names of a manifest hold for the parts of an archive that they speak of") {
  const TemporaryFolder folder;
  const std::string path = folder / "runs.tar";
  write_archive(path, three_members());
  const auto naming = [](const std::string& configuration) {
    auto made = std::make_shared<RunNaming>();
    made->configuration = configuration;
    made->run = "r";
    return made;
  };
  const InputList inputs =
      find_inputs(std::vector<NamedPath>{{path, naming("whole")}, {path + "!/below", naming("part")}});
  REQUIRE(inputs.files.size() == 1);
  PipelineOptions options;
  options.jobs = 1;
  std::vector<std::string> configurations;
  read_inputs(
      inputs.files, options,
      [&](Episode&& episode) {
        configurations.push_back(std::string(episode.id) + std::string(episode.configuration));
      },
      [](FileReport&&) {});
  CHECK(configurations == std::vector<std::string>{"awhole", "bpart", "cwhole"});
}

TEST_CASE("one adapter's zip files are not taken apart") {
  const TemporaryFolder folder;
  write_archive(folder / "log.eval", three_members(), {"", "zip"});
  const InputList inputs = find_inputs({folder.path().string()});
  REQUIRE(inputs.files.size() == 1);
  CHECK_FALSE(inputs.files[0].is_archive());
}

}  // namespace memuse::ingest
