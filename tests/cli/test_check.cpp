#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "support/json_schema.h"
#include "support/program.h"

using memuse::test::JsonSchema;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;

namespace {

using CheckReportJson = nlohmann::json;

std::string check_file_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A trace with a line that is no JSON, a field and a record type that nobody knows.
std::string damaged_trace() {
  return R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r"})"
         "\n"
         R"({"type":"message","id":"m1","role":"user","text":"Count the lamps.","mood":"calm"})"
         "\n{\"type\":\"message\",\n"
         R"({"type":"weather","sky":"grey"})"
         "\n"
         R"({"type":"step","step":1,"response":"Seven."})"
         "\n";
}

void check_sums(const CheckReportJson& records) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : records.at("reasons").items()) sum += count.get<std::uint64_t>();
  CHECK(sum == records.at("set_aside"));
  CHECK(records.at("read") == records.at("kept").get<std::uint64_t>() + records.at("set_aside").get<std::uint64_t>());
}

}  // namespace

TEST_CASE("the report of a check is as its schema says, and its accounts add up", "[check]") {
  const JsonSchema schema = JsonSchema::of_project("check-report-1");
  const std::string examples = std::string(MEMUSE_SOURCE_DIR) + "/examples";
  for (const char* jobs : {"1", "8"}) {
    const ProgramResult result = run_memuse({"check", examples, "--json", "--jobs", jobs});
    const auto report = CheckReportJson::parse(result.out);
    CHECK(schema.faults(report) == "");
    check_sums(report.at("records"));
    std::uint64_t read = 0;
    for (const auto& file : report.at("files")) {
      check_sums(file.at("records"));
      read += file.at("records").at("read").get<std::uint64_t>();
    }
    CHECK(read == report.at("records").at("read"));
    CHECK(read > 100);
  }
}

TEST_CASE("a check tells a lost line from an unknown field and an unknown type", "[check]") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.jsonl", damaged_trace());
  const ProgramResult json = run_memuse({"check", trace, "--json"});
  CHECK(json.exit_code == 1);
  const auto report = CheckReportJson::parse(json.out);
  CHECK(JsonSchema::of_project("check-report-1").faults(report) == "");
  CHECK(report.at("records").at("read") == 5);
  CHECK(report.at("records").at("reasons") == CheckReportJson({{"invalid_json", 1}, {"unknown_type", 1}}));
  REQUIRE(report.at("unknown").size() == 2);
  CHECK(report.at("unknown")[0].at("name") == "weather");
  CHECK(report.at("unknown")[1].at("name") == "message.mood");
  REQUIRE(report.at("faults").size() == 1);
  CHECK(report.at("faults")[0].at("first").at("line") == 3);
  CHECK(report.at("faults")[0].at("advice").is_string());
  const ProgramResult text = run_memuse({"check", trace});
  CHECK_THAT(text.out,
             Catch::Matchers::Contains("records: 5 read = 3 kept + 2 set aside (1 invalid_json, 1 unknown_type)"));
  CHECK_THAT(text.out, Catch::Matchers::Contains("error: 1 in 1 file: "));
}

TEST_CASE("the list of what was set aside goes to a file or to standard output", "[check]") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.jsonl", damaged_trace());
  const ProgramResult printed = run_memuse({"check", trace, "--bad", "-"});
  CHECK(printed.exit_code == 1);
  CHECK(run_memuse({"check", trace, "--bad", folder / "bad.jsonl", "--json"}).exit_code == 1);
  CHECK(check_file_bytes(folder / "bad.jsonl") == printed.out);
  CHECK(std::count(printed.out.begin(), printed.out.end(), '\n') == 2);
  CHECK(run_memuse({"check", trace, "--bad", "-", "--json"}).exit_code == 2);
  CHECK(run_memuse({"check", trace, "--bad-raw", folder / "raw"}).exit_code == 2);
  CHECK(run_memuse({"check", trace, "--bad", folder / "missing/bad.jsonl"}).exit_code == 3);
}
