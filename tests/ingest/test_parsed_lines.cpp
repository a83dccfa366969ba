#include "ingest/parsed_lines.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "../support/episode_text.h"
#include "../support/random_trace.h"
#include "../support/temporary_folder.h"
#include "ingest/json_records.h"
#include "ingest/line_reader.h"
#include "ingest/pipeline.h"
#include "ingest/read_ahead.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kLongestLine = 90;

/// What a reader hands out of a file, as text.
std::vector<std::string> outline(const std::string& bytes, const ReadOptions& options) {
  std::vector<std::string> events;
  ParsedLines lines(open_string(bytes), options, JoinedRecords::are_a_fault);
  while (const ParsedLine* parsed = lines.next()) {
    const Line& line = parsed->line;
    std::string event = std::to_string(line.number) + " " + std::to_string(line.byte) + "-" + std::to_string(line.end) +
                        (line.terminated ? " " : "| ");
    if (line.too_long) {
      event += "too long";
    } else if (parsed->blank) {
      event += "blank";
    } else if (parsed->value != nullptr) {
      event += to_json(*parsed->value) + " of " + std::string(parsed->text);
    } else {
      event += "fault " + std::string(fault_name(parsed->fault.fault)) + " at " + std::to_string(parsed->fault.byte);
    }
    events.push_back(event);
  }
  return events;
}

/// The same by way of the line reader, one line at a time.
std::vector<std::string> slow_outline(const std::string& bytes) {
  std::vector<std::string> events;
  LineReader lines(open_string(bytes), kLongestLine);
  JsonParser parser;
  Line line;
  while (lines.next(line)) {
    std::string event = std::to_string(line.number) + " " + std::to_string(line.byte) + "-" + std::to_string(line.end) +
                        (line.terminated ? " " : "| ");
    Arena arena;
    JsonFault fault;
    if (line.too_long) {
      event += "too long";
    } else if (is_blank(line.text)) {
      event += "blank";
    } else if (const JsonValue* value = parser.parse(line.text, lines.readable(line.text), arena, fault)) {
      event += to_json(*value) + " of " + std::string(line.text);
    } else {
      const bool cut = !line.terminated && fault.fault == Fault::invalid_json;
      event += "fault " + std::string(fault_name(cut ? Fault::truncated_line : fault.fault)) + " at " +
               std::to_string(fault.byte);
    }
    events.push_back(event);
  }
  return events;
}

std::string random_line(std::mt19937& random) {
  static const std::vector<std::string> kLines{
      R"({"a":1,"b":[true,null,"x\ny"]})",
      R"({"text":"ä€😀 é","n":-1.5e3})",
      R"({"a":"unfinished)",
      R"({"a":1}{"b":2})",
      R"([1,2])",
      "",
      "   ",
      R"({"lone":"\ud800"})",
      "{\"bad\":\"\xFF\"}",
      std::string(kLongestLine + 1, 'x'),
      std::string(3 * kLongestLine, ' '),
      R"({"pad":")" + std::string(kLongestLine - 10, 'p') + R"("})",  // as long as a line may be
      "{}\r",
  };
  return kLines[random() % kLines.size()];
}

TEST_CASE("blocks of any size, parsed ahead or not, hand out what a line at a time does") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::string bytes = seed % 3 == 0 ? std::string(kByteOrderMark) : "";
    const std::size_t count = random() % 30;
    for (std::size_t i = 0; i < count; ++i) bytes += random_line(random) + "\n";
    if (seed % 2 == 0) bytes += random_line(random);
    const std::vector<std::string> expected = slow_outline(bytes);
    ReadOptions options;
    options.max_record_bytes = kLongestLine;
    for (const std::size_t block :
         {std::size_t{1}, std::size_t{16}, std::size_t{64}, std::size_t{500}, std::size_t{1} << 20}) {
      INFO("seed " << seed << ", blocks of " << block);
      options.block_bytes = block;
      options.read_ahead = nullptr;
      CHECK(outline(bytes, options) == expected);
      tbb::task_arena(4).execute([&] {
        options.read_ahead = std::make_shared<ReadAhead>(400);
        CHECK(outline(bytes, options) == expected);
        CHECK(options.read_ahead->has_room());
      });
    }
  }
}

TEST_CASE("texts stay as long as somebody keeps their block") {
  std::vector<std::string_view> texts;
  std::vector<std::shared_ptr<const Arena>> kept;
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += "{\"t\":\"text \\u0041 " + std::to_string(i) + "\"}\n";
  ReadOptions options;
  options.block_bytes = 100;
  {
    ParsedLines lines(open_string(bytes), options, JoinedRecords::are_a_fault);
    while (const ParsedLine* parsed = lines.next()) {
      texts.push_back(parsed->value->field("t")->text);
      kept.push_back(lines.arena());
    }
  }
  REQUIRE(texts.size() == 200);
  for (std::size_t i = 0; i < texts.size(); ++i) CHECK(texts[i] == "text A " + std::to_string(i));
}

TEST_CASE("a block of very many values is handed out whole") {
  std::string bytes;
  for (int i = 0; i < 5; ++i) {
    bytes += R"({"many":[0)";
    for (int k = 0; k < 50000; ++k) bytes += ",0";
    bytes += "]}\n";
  }
  for (int i = 0; i < 20000; ++i) bytes += "\n";
  bytes += "{\"last\":true}";
  std::size_t values = 0;
  std::uint64_t last = 0;
  ParsedLines lines(open_string(bytes), {}, JoinedRecords::are_a_fault);
  while (const ParsedLine* parsed = lines.next()) {
    if (parsed->value == nullptr) continue;
    if (const JsonValue* many = parsed->value->field("many")) values += many->children;
    last = parsed->line.number;
  }
  CHECK(values == 5 * 50001);
  CHECK(last == 20006);
}

/// A stream that fails behind its bytes.
class FailingStream final : public ByteStream {
 public:
  explicit FailingStream(std::string bytes) : bytes_(open_string(std::move(bytes))) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t got = bytes_->read(buffer, size);
    if (got == 0) throw ReadFault{"the disk is gone"};
    return got;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
};

TEST_CASE("what was read before the stream failed is handed out first") {
  for (const bool ahead : {false, true}) {
    tbb::task_arena(2).execute([&] {
      ReadOptions options;
      options.block_bytes = 12;
      if (ahead) options.read_ahead = std::make_shared<ReadAhead>(1000);
      ParsedLines lines(std::make_unique<FailingStream>("{\"a\":1}\n{\"a\":2}\n{\"a\":3"), options,
                        JoinedRecords::are_a_fault);
      REQUIRE(lines.next() != nullptr);
      const ParsedLine* second = lines.next();
      REQUIRE(second != nullptr);
      CHECK(second->text == "{\"a\":2}");
      CHECK_THROWS_AS(lines.next(), ReadFault);
    });
  }
}

/// A trace of several episodes with damage of all kinds, the same for the same seed.
std::string damaged_trace(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string trace;
  for (std::uint32_t i = 0; i < 12; ++i) trace += test::RandomTrace(100 * seed + i).episode("e" + std::to_string(i));
  std::string damaged;
  std::size_t begin = 0;
  while (begin < trace.size()) {
    const std::size_t end = trace.find('\n', begin);
    std::string line = trace.substr(begin, end - begin);
    if (random() % 15 == 0) line.resize(random() % (line.size() + 1));
    if (random() % 40 == 0) line += line;
    if (random() % 40 == 0) line[random() % std::max<std::size_t>(line.size(), 1)] = '\xFF';
    damaged += line + "\n";
    begin = end + 1;
  }
  return damaged;
}

/// All that comes of a file, as text: episodes in the order of their places, then diagnostics.
std::string whole_outcome(const std::string& path, unsigned jobs, std::size_t block_bytes) {
  PipelineOptions options;
  options.jobs = jobs;
  options.read.block_bytes = block_bytes;
  options.read.max_record_bytes = 4000;
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, std::string>> episodes;
  std::string report;
  read_inputs(
      {Input{path}}, options,
      [&](Episode&& episode) {
        const std::lock_guard lock(mutex);
        const SourcePlace& source = episode.source;
        episodes.emplace_back(source.byte_begin, std::to_string(source.line) + " " + std::to_string(source.byte_begin) +
                                                     "-" + std::to_string(source.byte_end) + " " + source.sha256 +
                                                     "\n" + test::episode_text(episode));
      },
      [&](FileReport&& file) {
        report += std::to_string(file.episodes) + " episodes\n";
        for (const Diagnostic& diagnostic : file.diagnostics) report += to_line(diagnostic) + "\n";
      });
  std::sort(episodes.begin(), episodes.end());
  for (const auto& [place, text] : episodes) report += text;
  return report;
}

TEST_CASE("one damaged file comes to the same with any number of threads and any size of blocks") {
  const test::TemporaryFolder folder;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const std::string path = folder.write("t" + std::to_string(seed) + ".jsonl", damaged_trace(seed));
    const std::string expected = whole_outcome(path, 1, std::size_t{1} << 20);
    CHECK(expected.find("error") != std::string::npos);
    for (const std::size_t block : {std::size_t{1}, std::size_t{97}, std::size_t{3000}, std::size_t{1} << 20}) {
      INFO("seed " << seed << ", blocks of " << block);
      CHECK(whole_outcome(path, 1, block) == expected);
      CHECK(whole_outcome(path, 8, block) == expected);
    }
  }
}

TEST_CASE("one bad line among very many costs one diagnostic with its exact line") {
  const test::TemporaryFolder folder;
  constexpr int kLines = 100000;
  std::string trace =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r"})"
      "\n";
  for (int i = 2; i <= kLines; ++i) {
    trace += i == 77777 ? std::string("{\"type\":\"message\"")
                        : R"({"type":"step","step":)" + std::to_string(i - 1 - (i > 77777 ? 1 : 0)) + "}";
    trace += '\n';
  }
  const std::string path = folder.write("long.jsonl", trace);
  for (const unsigned jobs : {1U, 8U}) {
    PipelineOptions options;
    options.jobs = jobs;
    std::size_t steps = 0;
    std::vector<Diagnostic> diagnostics;
    read_inputs(
        {Input{path}}, options, [&](Episode&& episode) { steps = episode.steps.size(); },
        [&](FileReport&& file) { diagnostics = std::move(file.diagnostics); });
    CHECK(steps == kLines - 2);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].line == 77777);
    CHECK(diagnostics[0].fault == Fault::invalid_json);
  }
}

TEST_CASE("joined records come one by one from blocks of any size") {
  const std::string bytes = "{\"a\":1}{\"a\":2} {\"a\":3}\n\n{\"a\":4}{\"a\"}\n{\"a\":5}";
  for (const std::size_t block : {std::size_t{1}, std::size_t{1} << 20}) {
    ReadOptions options;
    options.block_bytes = block;
    DiagnosticLog log("f");
    JsonRecordReader records(open_string(bytes), options, log);
    std::string seen;
    for (JsonRecord record; records.next(record);) {
      seen += std::string(record.value->field("a")->text) + "@" + std::to_string(record.place.line) + ":" +
              std::to_string(record.place.byte) + "-" + std::to_string(record.end) + " ";
    }
    CHECK(seen == "1@1:0-7 2@1:7-15 3@1:15-23 4@3:24-31 5@4:37-44 ");
    CHECK(records.lost() == 1);
    CHECK(records.end() == 44);
  }
}

}  // namespace
}  // namespace memuse::ingest
