#include "workflow/quarantine.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "model/error.h"
#include "support/json_schema.h"
#include "support/temporary_folder.h"
#include "workflow/check_job.h"

namespace memuse::workflow {
namespace {

using test::TemporaryFolder;
using QuarantineLine = nlohmann::json;
namespace fs = std::filesystem;

std::string episode_of(const std::string& id, std::size_t messages) {
  std::string bytes = R"({"type":"episode","schema":"memuse-trace/1","episode":")" + id +
                      R"(","task_id":"t","configuration":"c","run":"r","delivery_grade":"none"})"
                      "\n";
  for (std::size_t i = 0; i < messages; ++i) {
    bytes += R"({"type":"message","id":"m)" + std::to_string(i) + R"(","role":"user","text":"line )" +
             std::to_string(i) + "\"}\n";
  }
  return bytes;
}

struct Checked {
  CheckReport report;
  std::string lines;
};

Checked check_with(const std::string& path, unsigned jobs, const std::optional<fs::path>& raw = std::nullopt) {
  IngestOptions options;
  options.traces = {path};
  options.pipeline.jobs = jobs;
  std::ostringstream out;
  CheckWishes wishes;
  wishes.set_aside = &out;
  wishes.raw_folder = raw;
  Checked checked{check_traces(options, wishes), {}};
  checked.lines = out.str();
  return checked;
}

std::vector<QuarantineLine> parsed(const std::string& lines) {
  static const test::JsonSchema schema = test::JsonSchema::of_project("set-aside-1");
  std::vector<QuarantineLine> all;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    all.push_back(QuarantineLine::parse(line));
    CHECK(schema.faults(all.back()) == "");
  }
  return all;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_CASE("one bad line in a hundred thousand is the only one set aside, for any number of jobs", "[quarantine]") {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += episode_of("e" + std::to_string(i), 1000);
  const std::size_t at = bytes.find("\"line 500\"", bytes.size() / 2);
  bytes[at] = ' ';  // the quote that opens the text
  const std::size_t begin = bytes.rfind('\n', at) + 1;
  const std::size_t end = bytes.find('\n', at);
  const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::string path = folder.write("t.jsonl", bytes);
  const Checked one = check_with(path, 1);
  const Checked eight = check_with(path, 8);
  CHECK(one.lines == eight.lines);
  CHECK(one.report.files.front().diagnostics == eight.report.files.front().diagnostics);
  CHECK(one.report.records.read == 100100);
  CHECK(one.report.records.set_aside == 1);
  CHECK(eight.report.records.kept() == 100099);
  CHECK(one.report.totals.episodes == 100);
  CHECK(one.report.totals.messages == 99999);
  const auto list = parsed(one.lines);
  REQUIRE(list.size() == 1);
  CHECK(list[0].at("line") == line);
  CHECK(list[0].at("byte_begin") == begin);
  CHECK(list[0].at("byte_end") == end);
  CHECK(list[0].at("reason") == "invalid_json");
  CHECK(list[0].at("first_bytes") == bytes.substr(begin, end - begin));
}

TEST_CASE("what is set aside of many files is listed in their order, beyond what diagnostics list", "[quarantine]") {
  const TemporaryFolder folder;
  constexpr std::size_t kBad = 700;
  for (int file = 0; file < 6; ++file) {
    std::string bytes = episode_of("e", 3);
    for (std::size_t i = 0; i < kBad; ++i) bytes += "{\"type\": broken " + std::to_string(i) + "\n";
    folder.write("t" + std::to_string(file) + ".jsonl", bytes);
  }
  const Checked one = check_with(folder.path().string(), 1);
  const Checked eight = check_with(folder.path().string(), 8);
  CHECK(one.lines == eight.lines);
  const auto list = parsed(one.lines);
  REQUIRE(list.size() == 6 * kBad);
  CHECK(one.report.set_aside_listed == 6 * kBad);
  for (std::size_t i = 1; i < list.size(); ++i) {
    const auto place = [](const QuarantineLine& one_line) {
      return std::pair(one_line.at("file").get<std::string>(), one_line.at("byte_begin").get<std::uint64_t>());
    };
    CHECK(place(list[i - 1]) < place(list[i]));
  }
}

TEST_CASE("records that were copied out, mended and put back are read", "[quarantine]") {
  const TemporaryFolder folder;
  std::string bytes = episode_of("e", 50);
  const std::string good = bytes;
  for (const char* text : {"\"line 7\"", "\"line 31\""}) bytes[bytes.find(text)] = '!';
  const std::string path = folder.write("t.jsonl", bytes);
  const fs::path raw = folder.path() / "raw";
  const auto list = parsed(check_with(path, 2, raw).lines);
  REQUIRE(list.size() == 2);
  std::string mended;
  std::size_t from = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    CHECK(list[i].at("copy") == "00001-1-t.jsonl");
    CHECK(list[i].at("copy_record") == i + 1);
    std::istringstream copies(bytes_of(raw / list[i].at("copy").get<std::string>()));
    std::string copy;
    for (std::size_t n = 0; n <= i; ++n) std::getline(copies, copy);
    const auto begin = list[i].at("byte_begin").get<std::size_t>();
    CHECK(copy == bytes.substr(begin, list[i].at("bytes").get<std::size_t>()));
    copy[copy.find('!')] = '"';
    mended += bytes.substr(from, begin - from) + copy;
    from = list[i].at("byte_end").get<std::size_t>();
  }
  mended += bytes.substr(from);
  CHECK(mended == good);
  CHECK(check_with(folder.write("mended.jsonl", mended), 1).report.records.set_aside == 0);
}

TEST_CASE("copies stay in their folder, whatever files are called, and first bytes are safe to print", "[quarantine]") {
  const TemporaryFolder folder;
  const std::string name = "x..\x1b[31m $(x) \xff.jsonl";
  folder.write("in/" + name, episode_of("e", 1) + "{\x1b[2J \xff \xe2\x80\xae oops\n");
  const fs::path raw = folder.path() / "out" / "raw";
  const auto list = parsed(check_with((folder.path() / "in").string(), 1, raw).lines);
  REQUIRE(list.size() == 1);
  const auto first = list[0].at("first_bytes").get<std::string>();
  CHECK(first.find('\x1b') == std::string::npos);
  CHECK(first.find("\xe2\x80\xae") == std::string::npos);
  CHECK(bytes_of(raw / list[0].at("copy").get<std::string>()) == "{\x1b[2J \xff \xe2\x80\xae oops\n");
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) ++files;
  }
  CHECK(files == 2);
  CHECK_THROWS_AS(check_with((folder.path() / "in").string(), 1, raw), Error);  // not empty any more
}

TEST_CASE("a file that nobody knows is listed as a whole", "[quarantine]") {
  const TemporaryFolder folder;
  const auto list = parsed(check_with(folder.write("x.jsonl", "{\"a\":1}\n"), 1).lines);
  REQUIRE(list.size() == 1);
  CHECK(list[0].at("extent") == "input");
  CHECK(list[0].at("line").is_null());
  CHECK(list[0].at("reason") == "unknown_format");
}

TEST_CASE("an episode of unknown visible input has no spans, and its deliveries are counted", "[quarantine]") {
  const TemporaryFolder folder;
  std::string bytes =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r","visibility":"unknown"})"
      "\n"
      R"({"type":"message","id":"m1","role":"user","origin":"memory","text":"The quay is 7."})"
      "\n"
      R"({"type":"delivery","id":"d1","route":"host","message":"m1","entries":[{"item":"i1","text":"The quay is 7."}]})"
      "\n"
      R"({"type":"step","step":1,"response":"Quay 7."})"
      "\n";
  const Checked unknown = check_with(folder.write("a.jsonl", bytes), 1);
  CHECK(unknown.report.totals.deliveries == 1);
  CHECK(unknown.report.totals.spans == 0);
  CHECK(unknown.report.totals.unconsumed == 1);
  CHECK(unknown.report.totals.without_spans == 1);
  bytes.replace(bytes.find("unknown"), 7, "partial");
  const Checked partial = check_with(folder.write("b.jsonl", bytes), 1);
  CHECK(partial.report.totals.spans == 1);
  CHECK(partial.report.totals.without_spans == 0);
}

}  // namespace
}  // namespace memuse::workflow
