// The examples of each harness, whole and damaged at random: whatever the bytes, reading ends, and what comes out of it
// is an episode that can be printed and read again.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/adapter_reading.h"
#include "support/data.h"
#include "support/json_mutation.h"
#include "support/sound_episode.h"

namespace memuse::ingest {
namespace {

struct HarnessFile {
  const Adapter* adapter = nullptr;
  std::string path;
  std::string bytes;
};

/// Every file in examples/harnesses, with the adapter that its content is told as.
std::vector<HarnessFile> harness_files() {
  std::vector<HarnessFile> files;
  const std::filesystem::path folder = std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "harnesses";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    HarnessFile file{nullptr, entry.path().string(), test::read_file(entry.path())};
    INFO(file.path);
    const auto detected = detect_format(std::string_view(file.bytes).substr(0, kDetectionBytes));
    REQUIRE(detected);
    file.adapter = detected->adapter;
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  REQUIRE(files.size() >= 8);
  return files;
}

/// Reads under a path that is not there, so that no other file plays a part.
test::AdapterReading read_damaged(const HarnessFile& file, const std::string& bytes, const ReadOptions& options = {}) {
  return test::read_bytes(*file.adapter, bytes, "/nowhere" + file.path, options);
}

void check_sound(const Episode& episode) {
  REQUIRE(test::fault_in(episode).empty());
}

/// The documents of a file: one, or one on each line.
std::vector<nlohmann::json> documents_of(const HarnessFile& file) {
  if (auto whole = nlohmann::json::parse(file.bytes, nullptr, false); !whole.is_discarded()) return {whole};
  std::vector<nlohmann::json> all;
  std::istringstream lines(file.bytes);
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

std::string joined_documents(const std::vector<nlohmann::json>& documents) {
  std::string all;
  for (const auto& document : documents) all += document.dump() + "\n";
  return all;
}

}  // namespace

TEST_CASE("the examples of harnesses are read without a fault", "[harness]") {
  std::size_t with_episodes = 0;
  for (const HarnessFile& file : harness_files()) {
    INFO(file.path);
    const test::AdapterReading reading = test::read_path(*file.adapter, file.path);
    CHECK(reading.count(Severity::error) == 0);
    CHECK(reading.count(Fault::unknown_field) == 0);
    if (!reading.episodes.empty()) ++with_episodes;
    for (const Episode& episode : reading.episodes) {
      CHECK(episode.step_count() > 0);
      check_sound(episode);
      test::check_read_again(*file.adapter, episode);
    }
  }
  CHECK(with_episodes >= 8);
}

TEST_CASE("a file that is cut anywhere is read as far as it goes", "[harness]") {
  std::size_t episodes = 0;
  for (const HarnessFile& file : harness_files()) {
    INFO(file.path);
    for (std::size_t part = 0; part <= 100; ++part) {
      const std::size_t size = file.bytes.size() * part / 100;
      CAPTURE(size);
      for (const Episode& episode : read_damaged(file, file.bytes.substr(0, size)).episodes) {
        check_sound(episode);
        ++episodes;
      }
    }
  }
  CHECK(episodes > 100);
}

TEST_CASE("bytes that fell over cost no more than their record", "[harness]") {
  std::size_t episodes = 0;
  std::mt19937_64 random(20260301);
  for (const HarnessFile& file : harness_files()) {
    INFO(file.path);
    for (int turn = 0; turn < 150; ++turn) {
      CAPTURE(turn);
      std::string bytes = file.bytes;
      for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
        bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      }
      (void)detect_format(std::string_view(bytes).substr(0, kDetectionBytes));
      for (const Episode& episode : read_damaged(file, bytes).episodes) {
        check_sound(episode);
        ++episodes;
      }
    }
  }
  CHECK(episodes > 1000);
}

TEST_CASE("values of any type in any place are survived", "[harness]") {
  std::size_t episodes = 0;
  std::mt19937_64 random(20260302);
  for (const HarnessFile& file : harness_files()) {
    INFO(file.path);
    const std::vector<nlohmann::json> documents = documents_of(file);
    for (int turn = 0; turn < 400; ++turn) {
      CAPTURE(turn);
      std::vector<nlohmann::json> changed = documents;
      for (std::uint64_t swaps = 1 + random() % 3; swaps > 0; --swaps) {
        test::swap_value(changed[random() % changed.size()], random);
      }
      if (changed.size() > 1 && random() % 4 == 0) std::swap(changed[random() % changed.size()], changed.back());
      for (const Episode& episode : read_damaged(file, joined_documents(changed)).episodes) {
        check_sound(episode);
        ++episodes;
      }
    }
  }
  CHECK(episodes > 1000);
}

TEST_CASE("nesting without end and records without end are refused", "[harness]") {
  const std::string deep(200000, '[');
  for (const HarnessFile& file : harness_files()) {
    INFO(file.path);
    CHECK_FALSE(detect_format("{\"history\": " + deep));
    CHECK(read_damaged(file, "{\"messages\": " + deep + "\n").count(Severity::error) == 1);
    CHECK(read_damaged(file, deep).count(Severity::error) == 1);
    ReadOptions options;
    options.max_record_bytes = 100;
    const test::AdapterReading limited = read_damaged(file, file.bytes, options);
    CHECK(limited.episodes.empty());
    CHECK(limited.count(Fault::line_too_long) >= 1);
  }
}

}  // namespace memuse::ingest
