#include "ingest/episode_rereader.h"

#include <tbb/parallel_for.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/archives.h"
#include "support/data.h"
#include "support/episode_text.h"
#include "support/ingested.h"
#include "support/random_trace.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

/// A log of conversations of two calls each, whose calls alternate: no episode has bytes of its own.
std::string log_of_conversations(std::size_t count) {
  std::string log;
  for (int call = 0; call < 2; ++call) {
    for (std::size_t i = 0; i < count; ++i) {
      nlohmann::json messages = nlohmann::json::array();
      messages.push_back({{"role", "user"}, {"content", "Task " + std::to_string(i)}});
      if (call == 1) {
        messages.push_back({{"role", "assistant"}, {"content", "first"}});
        messages.push_back({{"role", "user"}, {"content", "go on"}});
      }
      const nlohmann::json answer{{"role", "assistant"}, {"content", call == 0 ? "first" : "second"}};
      const nlohmann::json choices = nlohmann::json::array({{{"message", answer}}});
      log += nlohmann::json{{"messages", messages},
                            {"response", {{"choices", choices}}},
                            {"timestamp", 1000 + static_cast<int>(i) * 10 + call},
                            {"trace_id", "t" + std::to_string(i)}}
                 .dump() +
             "\n";
    }
  }
  return log;
}

ReadOptions options_of(const Episode& episode) {
  ReadOptions options;
  options.configuration = episode.configuration;
  options.run = episode.run;
  return options;
}

/// What came back for an episode; empty when nothing did.
std::string read_again(EpisodeRereader& rereader, const Episode& episode) {
  Fault fault{};
  std::string detail;
  const auto again = rereader.read(episode.source, options_of(episode), fault, detail);
  return again ? test::episode_text(*again) : std::string();
}

TEST_CASE("a file whose episodes have no bytes of their own is read once for all of them") {
  const test::TemporaryFolder folder;
  const std::vector<Episode> all = test::ingest_file(folder.write("calls.jsonl", log_of_conversations(40))).episodes;
  REQUIRE(all.size() == 40);
  EpisodeRereader rereader;
  for (const Episode& episode : all) CHECK(read_again(rereader, episode) == test::episode_text(episode));
  CHECK(rereader.readings() == 1);
  // Each was given away: whoever asks again starts again.
  CHECK(read_again(rereader, all.front()) == test::episode_text(all.front()));
  CHECK(rereader.readings() == 2);
}

TEST_CASE("with little room, a file is read more often, and the episodes are the same in any order") {
  const test::TemporaryFolder folder;
  const std::vector<Episode> all = test::ingest_file(folder.write("calls.jsonl", log_of_conversations(40))).episodes;
  const std::size_t room = GENERATE(as<std::size_t>{}, 0, 3000, 20000);
  EpisodeRereader forwards(room);
  EpisodeRereader backwards(room);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(read_again(forwards, all[i]) == test::episode_text(all[i]));
    const Episode& other = all[all.size() - 1 - i];
    CHECK(read_again(backwards, other) == test::episode_text(other));
  }
  CHECK(forwards.readings() > 1);
  CHECK(forwards.readings() <= 40);
}

TEST_CASE("threads that ask for episodes of one file wait for one reading") {
  const test::TemporaryFolder folder;
  const std::vector<Episode> all = test::ingest_file(folder.write("calls.jsonl", log_of_conversations(200))).episodes;
  EpisodeRereader rereader;
  std::atomic<int> same = 0;
  tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
    if (read_again(rereader, all[i]) == test::episode_text(all[i])) ++same;
  });
  CHECK(same == 200);
  CHECK(rereader.readings() == 1);
}

TEST_CASE("a file that changed is not answered from what was kept of it") {
  const test::TemporaryFolder folder;
  const std::string log = log_of_conversations(5);
  const std::string path = folder.write("calls.jsonl", log);
  const std::vector<Episode> all = test::ingest_file(path).episodes;
  EpisodeRereader rereader;
  CHECK_FALSE(read_again(rereader, all[0]).empty());
  std::string changed = log;
  changed.replace(changed.find("Task 3"), 6, "Task x");
  folder.write("calls.jsonl", changed + "\n");
  CHECK(read_again(rereader, all[3]).empty());
  CHECK_FALSE(read_again(rereader, all[4]).empty());
}

TEST_CASE("episodes of a compressed file are read again from wherever they stand") {
  const test::TemporaryFolder folder;
  test::RandomTrace random(4);
  std::string trace;
  for (int i = 0; i < 30; ++i) trace += random.episode("e" + std::to_string(i));
  const char* kind = GENERATE("gzip", "zstd", "xz", "bzip2");
  const std::string path = folder.write("t.jsonl.packed", test::packed_bytes(trace, kind));
  ingest::PipelineOptions options;
  options.format = "memuse-trace";
  std::vector<Episode> all;
  options.jobs = 1;
  read_inputs(
      {Input{path, true, false}}, options, [&](Episode&& episode) { all.push_back(std::move(episode)); },
      [](FileReport&&) {});
  REQUIRE(all.size() == 30);
  EpisodeRereader rereader;
  for (std::size_t i = all.size(); i-- > 0;) CHECK(read_again(rereader, all[i]) == test::episode_text(all[i]));
}

TEST_CASE("a compressed file that ends too early gives again what stands before its end") {
  const test::TemporaryFolder folder;
  test::RandomTrace random(5);
  std::string trace;
  for (int i = 0; i < 400; ++i) trace += random.episode("e" + std::to_string(i));
  const std::string packed = test::packed_bytes(trace, "gzip");
  const std::string path = folder.write("t.jsonl.gz", packed.substr(0, packed.size() / 2));
  const std::vector<Episode> all = test::ingest_file(path).episodes;
  REQUIRE(all.size() > 10);
  EpisodeRereader rereader;
  // The last one is where the bytes end.
  for (std::size_t i = 0; i + 1 < all.size(); ++i) CHECK(read_again(rereader, all[i]) == test::episode_text(all[i]));
}

}  // namespace
}  // namespace memuse::ingest
