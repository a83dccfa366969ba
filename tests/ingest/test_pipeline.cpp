#include "ingest/episode_rereader.h"
#include "ingest/pipeline.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/episode_text.h"
#include "../support/random_trace.h"
#include "../support/temporary_folder.h"
#include "ingest/canonical_trace.h"
#include "model/error.h"

namespace memuse::ingest {
namespace {

using test::TemporaryFolder;

std::string open_line(const std::string& id) {
  return R"({"type":"episode","schema":"memuse-trace/1","episode":")" + id +
         R"(","task_id":"t","configuration":"c","run":"r"})"
         "\n";
}

struct Everything {
  std::vector<std::string> episodes;  // sorted texts
  std::vector<FileReport> files;      // sorted by path
  std::vector<Diagnostic> diagnostics;
};

Everything read_all(const std::vector<Input>& inputs, const PipelineOptions& options = {}) {
  Everything all;
  std::mutex mutex;
  read_inputs(
      inputs, options,
      [&](Episode&& episode) {
        const std::lock_guard lock(mutex);
        all.episodes.push_back(episode.source.path + " " + episode.source.sha256 + "\n" + test::episode_text(episode));
      },
      [&](FileReport&& report) {
        const std::lock_guard lock(mutex);
        all.files.push_back(std::move(report));
      });
  std::sort(all.episodes.begin(), all.episodes.end());
  std::sort(all.files.begin(), all.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  for (const FileReport& file : all.files) {
    all.diagnostics.insert(all.diagnostics.end(), file.diagnostics.begin(), file.diagnostics.end());
  }
  std::sort(all.diagnostics.begin(), all.diagnostics.end());
  return all;
}

Diagnostic only_diagnostic(const Input& input, const PipelineOptions& options = {}) {
  const Everything all = read_all({input}, options);
  REQUIRE(all.files.size() == 1);
  REQUIRE(all.diagnostics.size() == 1);
  CHECK(all.diagnostics[0].file == input.path);
  CHECK(all.diagnostics[0].line == 0);
  return all.diagnostics[0];
}

TEST_CASE("any number of jobs gives the same episodes and diagnostics") {
  const TemporaryFolder folder;
  for (std::uint32_t i = 0; i < 40; ++i) {
    test::RandomTrace random(i);
    std::string trace;
    for (std::uint32_t k = 0; k < i % 7; ++k) {
      trace += random.episode("e" + std::to_string(i) + "-" + std::to_string(k));
      if (k % 3 == 1) trace += "{broken\n";
    }
    folder.write("f" + std::to_string(i) + ".jsonl", trace);
  }
  const InputList inputs = find_inputs({folder.path().string()});
  REQUIRE(inputs.files.size() == 40);
  PipelineOptions options;
  options.jobs = 1;
  const Everything one = read_all(inputs.files, options);
  options.jobs = 8;
  const Everything eight = read_all(inputs.files, options);
  CHECK(one.episodes.size() > 80);
  CHECK(one.diagnostics.size() > 20);
  CHECK(one.episodes == eight.episodes);
  CHECK(one.diagnostics == eight.diagnostics);
  REQUIRE(one.files.size() == eight.files.size());
  for (std::size_t i = 0; i < one.files.size(); ++i) {
    CHECK(one.files[i].path == eight.files[i].path);
    CHECK(one.files[i].episodes == eight.files[i].episodes);
    CHECK(one.files[i].bytes == eight.files[i].bytes);
  }
}

TEST_CASE("a file's report tells format and size") {
  const TemporaryFolder folder;
  const std::string trace = open_line("a") + open_line("b");
  const Everything all = read_all({{folder.write("t.jsonl", trace), false}});
  REQUIRE(all.files.size() == 1);
  CHECK(all.files[0].format == "memuse-trace");
  CHECK(all.files[0].format_version == "1");
  CHECK(all.files[0].episodes == 2);
  CHECK(all.files[0].bytes == trace.size());
  CHECK(all.diagnostics.empty());
}

TEST_CASE("how bad an unknown format is depends on who chose the file") {
  const TemporaryFolder folder;
  const std::string json = folder.write("a.json", "{\"x\": 1}\n");
  const std::string text = folder.write("notes.txt", "hello\n");
  CHECK(only_diagnostic({json, true}).fault == Fault::unknown_format);
  CHECK(only_diagnostic({json, true}).severity == Severity::error);
  CHECK(only_diagnostic({json, false}).severity == Severity::warning);
  CHECK(only_diagnostic({text, true}).severity == Severity::error);
  CHECK(only_diagnostic({text, false}).severity == Severity::note);
}

TEST_CASE("an empty file is told") {
  const TemporaryFolder folder;
  CHECK(only_diagnostic({folder.write("a.jsonl", ""), false}).fault == Fault::empty_file);
  CHECK(only_diagnostic({folder.write("a.jsonl", ""), false}).severity == Severity::error);
  CHECK(only_diagnostic({folder.write("a.txt", ""), true}).severity == Severity::error);
  CHECK(only_diagnostic({folder.write("a.txt", ""), false}).severity == Severity::note);
}

TEST_CASE("a file that cannot be read is told, and the others are read") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.jsonl", open_line("e"));
  const Everything all = read_all({{good, true}, {folder / "gone", true}, {folder.path().string(), true}});
  CHECK(all.episodes.size() == 1);
  CHECK(all.files.size() == 3);
  REQUIRE(all.diagnostics.size() == 2);
  CHECK(all.diagnostics[0].fault == Fault::unreadable_file);
  CHECK(all.diagnostics[1].fault == Fault::unreadable_file);
}

TEST_CASE("a named format is used without looking, an unknown name is refused") {
  const TemporaryFolder folder;
  const std::string odd = folder.write("odd", R"({"type":"message"})");
  PipelineOptions options;
  options.format = "memuse-trace";
  const Everything all = read_all({{odd, true}}, options);
  REQUIRE(all.diagnostics.size() == 1);
  CHECK(all.diagnostics[0].fault == Fault::out_of_place);
  options.format = "morse";
  try {
    read_all({{odd, true}}, options);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(std::string(error.what()).find("memuse-trace") != std::string::npos);
  }
}

TEST_CASE("exceptions of the sink stop the reading and are thrown on") {
  const TemporaryFolder folder;
  std::vector<Input> inputs;
  for (int i = 0; i < 20; ++i) inputs.push_back({folder.write("f" + std::to_string(i), open_line("e")), true});
  for (const unsigned jobs : {1U, 4U}) {
    PipelineOptions options;
    options.jobs = jobs;
    CHECK_THROWS_AS(read_inputs(
                        inputs, options, [](Episode&&) { throw std::runtime_error("full"); }, [](FileReport&&) {}),
                    std::runtime_error);
  }
}

TEST_CASE("reading stops when asked") {
  const TemporaryFolder folder;
  std::vector<Input> inputs;
  for (int i = 0; i < 20; ++i) inputs.push_back({folder.write("f" + std::to_string(i), open_line("e")), true});
  std::atomic<bool> stop{false};
  PipelineOptions options;
  options.jobs = 1;
  options.stop = &stop;
  std::size_t episodes = 0;
  read_inputs(
      inputs, options,
      [&](Episode&&) {
        ++episodes;
        stop = true;
      },
      [](FileReport&&) {});
  CHECK(episodes == 1);
}

/// All episodes of one file.
std::vector<Episode> episodes_of(const std::string& path) {
  std::vector<Episode> all;
  PipelineOptions options;
  options.jobs = 1;
  read_inputs(
      {{path, true}}, options, [&](Episode&& episode) { all.push_back(std::move(episode)); }, [](FileReport&&) {});
  return all;
}

TEST_CASE("an episode is read again from its place") {
  const TemporaryFolder folder;
  test::RandomTrace random(9);
  const std::string second = random.episode("second");
  const std::string trace =
      "\xEF\xBB\xBF" + random.episode("first") + second + "{broken\n" + random.episode("third") + "{cut";
  const std::string path = folder.write("t.jsonl", trace);
  const std::vector<Episode> all = episodes_of(path);
  REQUIRE(all.size() == 3);
  Fault fault{};
  std::string detail;
  for (const Episode& episode : all) {
    INFO(episode.id);
    const auto again = EpisodeRereader().read(episode.source, {}, fault, detail);
    REQUIRE(again);
    CHECK(test::episode_text(*again) == test::episode_text(episode));
    CHECK(again->source.byte_begin == episode.source.byte_begin);
    CHECK(again->source.line == episode.source.line);
    CHECK(sha256_hex(std::string_view(trace).substr(episode.source.byte_begin,
                                                    episode.source.byte_end - episode.source.byte_begin)) ==
          episode.source.sha256);
  }
  const SourcePlace place = all[1].source;
  SECTION("text elsewhere in the file may change") {
    std::string changed = trace;
    changed.back() = 'T';
    changed[4] = changed[4] == 'x' ? 'y' : 'x';
    folder.write("t.jsonl", changed);
    CHECK(EpisodeRereader().read(place, {}, fault, detail));
  }
  SECTION("a change inside is told") {
    std::string changed = trace;
    const std::size_t at = trace.find("second");
    changed.replace(at, 6, "Second");
    folder.write("t.jsonl", changed);
    CHECK_FALSE(EpisodeRereader().read(place, {}, fault, detail));
    CHECK(fault == Fault::source_changed);
    CHECK(detail == path);
  }
  SECTION("a file whose offsets moved is told") {
    folder.write("t.jsonl", "\n" + trace);
    CHECK_FALSE(EpisodeRereader().read(place, {}, fault, detail));
    CHECK(fault == Fault::source_changed);
  }
  SECTION("a file that became shorter is told") {
    folder.write("t.jsonl", trace.substr(0, place.byte_end - 3));
    CHECK_FALSE(EpisodeRereader().read(place, {}, fault, detail));
    CHECK(fault == Fault::source_changed);
  }
  SECTION("a file that is gone is told") {
    std::filesystem::remove(path);
    CHECK_FALSE(EpisodeRereader().read(place, {}, fault, detail));
    CHECK(fault == Fault::source_missing);
    CHECK_FALSE(detail.empty());
  }
  SECTION("a format that this program does not know is told") {
    SourcePlace other = place;
    other.format = "morse";
    CHECK_FALSE(EpisodeRereader().read(other, {}, fault, detail));
    CHECK(fault == Fault::unknown_format);
  }
}

TEST_CASE("formats are found by content") {
  CHECK(detect_format(open_line("e"))->version == "1");
  CHECK(detect_format(R"({"type": "episode", "schema": "memuse-trace/12", )")->version == "12");
  CHECK_FALSE(detect_format("{\"a\":1}"));
  CHECK_FALSE(detect_format(""));
  CHECK(find_adapter("memuse-trace") == &canonical_trace_adapter());
  CHECK(find_adapter("x") == nullptr);
  for (const Adapter* adapter : adapters()) {
    CHECK(find_adapter(adapter->name()) == adapter);
    CHECK_FALSE(adapter->description().empty());
  }
}

}  // namespace
}  // namespace memuse::ingest
