// The mock runs of the reference data, against the true blocks and gold values that lie beside them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ingest/canonical_trace_writer.h"
#include "ingest/episode_rereader.h"
#include "ingest/merit_adapter.h"
#include "ingest/merit_blocks.h"
#include "ingest/merit_flags.h"
#include "ingest/pipeline.h"
#include "model/text.h"
#include "support/adapter_reading.h"
#include "support/data.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path mock_cells() {
  return test::shared_data() / "merit-mock";
}

std::vector<Json> json_lines(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::vector<Json> all;
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
  return all;
}

const std::vector<std::string> kCells{"d1-easy", "d1-medium", "d1-hard",   "d2-easy", "d2-medium",
                                      "d2-hard", "d3-easy",   "d3-medium", "d3-hard"};

std::vector<Episode> read_cell(const fs::path& folder) {
  test::AdapterReading reading = test::read_claimed(merit_adapter(), folder.string());
  for (const Diagnostic& diagnostic : reading.diagnostics) UNSCOPED_INFO(to_line(diagnostic));
  return std::move(reading.episodes);
}

std::string_view block_of(const Episode& episode) {
  if (episode.messages.empty() || episode.messages.front().origin != Origin::memory) return {};
  return episode.texts[episode.messages.front().versions.front().text];
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t user_turns(const Episode& episode) {
  return static_cast<std::size_t>(std::count_if(
      episode.messages.begin(), episode.messages.end(),
      [](const Message& message) { return message.origin == Origin::task || message.origin == Origin::user; }));
}

TEST_CASE("all blocks of the sample end where they truly end") {
  MEMUSE_NEEDS_SHARED_DATA();
  std::map<std::pair<std::string, std::string>, Json> truth;
  for (Json& block : json_lines(mock_cells() / "oracle" / "blocks.jsonl")) {
    std::pair<std::string, std::string> key(block.at("cell"), block.at("episode_id"));
    truth.emplace(std::move(key), std::move(block));
  }
  std::size_t checked = 0;
  std::size_t wrong = 0;
  for (const std::string& cell : kCells) {
    for (const Episode& episode : read_cell(mock_cells() / cell)) {
      const Json& expected = truth.at({cell, std::string(episode.id)});
      const std::string_view block = block_of(episode);
      const bool right = characters(block) == expected.at("block_chars").get<std::size_t>() &&
                         sha256_hex(block).substr(0, 16) == expected.at("block_sha256_16").get<std::string>() &&
                         user_turns(episode) == expected.at("user_turns").get<std::size_t>();
      if (!right) ++wrong;
      ++checked;
    }
  }
  CHECK(wrong == 0);
  CHECK(checked == truth.size());
  CHECK(checked == 3780);
}

TEST_CASE("MERIT's flag of use is what gold values and calls give") {
  MEMUSE_NEEDS_SHARED_DATA();
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> gold;
  for (const Json& task : json_lines(mock_cells() / "oracle" / "tasks.jsonl")) {
    if (!task.contains("gold_values")) continue;
    gold[{task.at("cell"), task.at("task_id")}] = task.at("gold_values").get<std::vector<std::string>>();
  }
  std::size_t checked = 0;
  std::size_t held = 0;
  std::size_t utilized = 0;
  std::size_t wrong = 0;
  for (const std::string& cell : kCells) {
    for (Episode& episode : read_cell(mock_cells() / cell)) {
      if (episode.probe->dependent != true) continue;
      for (const std::string& value : gold.at({cell, std::string(episode.task_id)})) {
        episode.probe->gold.push_back(episode.arena.keep(value));
      }
      const auto flag = merit_utilized(episode);
      if (flag != episode.probe->memory_utilized) ++wrong;
      ++checked;
      if (episode.probe->memory_had_fact == true) ++held;
      if (flag == true) ++utilized;
      // Memory held the fact exactly when the block that was read has every gold value.
      const std::string_view block = block_of(episode);
      const bool has_all =
          std::all_of(episode.probe->gold.begin(), episode.probe->gold.end(),
                      [block](std::string_view value) { return block.find(value) != std::string_view::npos; });
      if (has_all != episode.probe->memory_had_fact) ++wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(checked > 1000);
  CHECK(held > utilized);
  CHECK(utilized > 0);
}

/// Memory systems store a transcript in slices of 600 characters.
bool is_stored_slice(std::string_view text, const std::vector<std::string>& transcripts) {
  for (const std::string& transcript : transcripts) {
    std::size_t count = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= transcript.size(); ++at) {
      const bool at_end = at == transcript.size();
      if (!at_end && (static_cast<unsigned char>(transcript[at]) & 0xC0U) == 0x80U) continue;
      if (count++ % 600 != 0 && !at_end) continue;
      if (at > begin && std::string_view(transcript).substr(begin, at - begin) == text) return true;
      begin = at;
    }
  }
  return false;
}

/// Texts of the entries of clean blocks against the transcripts that they were made from.
TEST_CASE("entries of clean blocks are the parts that the memory systems stored") {
  MEMUSE_NEEDS_SHARED_DATA();
  std::size_t chunks = 0;
  std::size_t other_slices = 0;
  std::size_t cut_facts = 0;
  std::size_t summaries = 0;
  std::size_t facts = 0;
  for (const std::string& cell : kCells) {
    std::map<std::string, std::string> transcripts;
    for (const Json& trace : json_lines(mock_cells() / cell / "traces" / "episodes.jsonl")) {
      transcripts[trace.at("episode_id")] = trace.at("transcript");
    }
    std::map<std::string, std::vector<std::string>> stored;  // by store, in order of the episodes
    for (const Episode& episode : read_cell(mock_cells() / cell)) {
      std::vector<std::string>& earlier = stored[std::string(episode.store)];
      const bool clean = !episode.probe->corruption;
      for (const Delivery& delivery : episode.deliveries) {
        for (const Entry& entry : delivery.entries) {
          INFO(cell << " " << episode.id << " " << episode.condition << "\n" << entry.text);
          if (!clean) continue;
          if (episode.condition == "C3") {
            REQUIRE(entry.item);
            const auto number =
                static_cast<std::size_t>(std::stoi(std::string(entry.item->substr(entry.item->rfind('e') + 1))));
            std::string start = earlier.at(number);
            std::size_t end = 0;
            for (std::size_t count = 0; end < start.size(); ++end) {
              if ((static_cast<unsigned char>(start[end]) & 0xC0U) != 0x80U && ++count > 800) break;
            }
            CHECK(entry.text == "[Episode " + std::string(*entry.item) + "] " + start.substr(0, end));
            ++summaries;
          } else if (episode.condition == "C4" || (episode.condition == "C5" && entry.item)) {
            REQUIRE(entry.item);
            if (!entry.version) {  // cut off at the end of C5's share for facts
              ++cut_facts;
              continue;
            }
            CHECK(entry.text == std::string(*entry.item) + " = " + std::string(*entry.version));
            ++facts;
          } else if (episode.condition == "C2" || episode.condition == "C5") {
            if (!is_stored_slice(entry.text, earlier)) ++other_slices;
            ++chunks;
          }
        }
      }
      earlier.push_back(transcripts.at(std::string(episode.id)));
    }
  }
  CHECK(chunks > 1000);
  // Where two short ends of transcripts meet, or one quotes such a pair, the block alone does not tell.
  CHECK(other_slices * 100 < chunks);
  CHECK(cut_facts < 10);
  CHECK(summaries > 500);
  CHECK(facts > 500);
}

TEST_CASE("all rows are read, and each episode of the sample can be read again alone") {
  MEMUSE_NEEDS_SHARED_DATA();
  std::size_t total = 0;
  for (const std::string& cell : kCells) {
    const std::vector<Episode> episodes = read_cell(mock_cells() / cell);
    CHECK(episodes.size() == json_lines(mock_cells() / cell / "results.jsonl").size());
    std::set<std::string> ids;
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      const Episode& episode = episodes[i];
      CHECK(ids.insert(std::string(episode.id)).second);
      if (i % 7 != 0) continue;
      Fault fault = Fault::source_missing;
      std::string detail;
      const auto again = EpisodeRereader().read(episode.source, {}, fault, detail);
      REQUIRE(again);
      CHECK(write_canonical_trace(*again) == write_canonical_trace(episode));
    }
    total += episodes.size();
  }
  CHECK(total == 3780);
}

}  // namespace
}  // namespace memuse::ingest
