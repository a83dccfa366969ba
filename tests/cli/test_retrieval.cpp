#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.h"

using Json = nlohmann::json;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;

namespace {

std::string retrieval_example(const std::string& name) {
  return std::string(MEMUSE_SOURCE_DIR) + "/examples/retrieval/" + name;
}

Json scored(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "retrieval");
  arguments.emplace_back("--json");
  return Json::parse(memuse_output(arguments));
}

const Json& row_named(const Json& list, const std::string& key, const std::string& value) {
  for (const Json& one : list) {
    if (one.at(key) == value) return one;
  }
  FAIL("no " << key << " " << value);
  return list;
}

}  // namespace

TEST_CASE("retrieval scores the example as counted by hand") {
  const Json json = scored(
      {"--results", retrieval_example("results.jsonl"), "--gold", retrieval_example("gold.jsonl"), "-k", "1,all"});
  const Json& words = row_named(json.at("configurations"), "configuration", "words");
  const Json& all = words.at("categories").back();
  CHECK(all.at("results") == 7);
  // harbour-depth 1, ferry-hours 1, pilot-fee 1, warden 1, cranes 0, ice-rink 1, cat 0
  CHECK(all.at("depths")[0].at("precision").at("value").get<double>() == Approx(5.0 / 7.0));
  // 1/3, 1/2, 1/2, 1, 1/2, 1, 0
  CHECK(all.at("depths")[1].at("precision").at("value").get<double>() ==
        Approx((1.0 / 3 + 0.5 + 0.5 + 1.0 + 0.5 + 1.0 + 0.0) / 7.0));
  CHECK(all.at("depths")[1].at("recall").at("value").get<double>() ==
        Approx((1.0 + 1.0 + 0.5 + 1.0 + 0.5 + 1.0 + 1.0) / 7.0));
  CHECK(all.at("cost").at("tokens_p50") == 55.0);
  CHECK(all.at("cost").at("latency_ms_p95") == 14.0);
  CHECK(words.at("abstention").at("right") == 1);
  CHECK(words.at("abstention").at("n") == 2);
  CHECK(words.at("newest_returned").at("right") == 0);
  CHECK(words.at("newest_used").at("unknown") == 2);
  CHECK(words.at("newest_used").at("share").is_null());
  CHECK(words.at("valid_returned").at("right") == 0);
  const Json& meaning = row_named(json.at("configurations"), "configuration", "meaning");
  CHECK(meaning.at("newest_returned").at("right") == 2);
  CHECK(meaning.at("valid_returned").at("right") == 1);
  CHECK(json.at("phase_separation").at("checked") == false);
}

TEST_CASE("retrieval reads searches uses and stored questions from a trace") {
  const Json json =
      scored({retrieval_example("log-book.jsonl"), "--gold", retrieval_example("gold.jsonl"), "--questions"});
  REQUIRE(json.at("results") == 3);
  const Json& book = json.at("configurations")[0];
  CHECK(book.at("configuration") == "log book");
  CHECK(book.at("newest_used").at("right") == 1);
  CHECK(book.at("abstention").at("right") == 1);
  const Json& ferry = row_named(json.at("question_results"), "question_id", "ferry-hours");
  CHECK(ferry.at("tokens") == 14.0);
  CHECK(ferry.at("tokens_estimated") == false);
  CHECK(row_named(json.at("question_results"), "question_id", "two-cranes").at("tokens_estimated") == true);
  CHECK(row_named(json.at("question_results"), "question_id", "ice-rink").at("tokens").is_null());
  const Json& found = json.at("phase_separation").at("found");
  REQUIRE(found.size() == 2);
  for (const Json& one : found) CHECK(one.at("question_id") == "two-cranes");
  CHECK(found[0].at("place").get<std::string>().find("memory operation `create` on item `note-60`") !=
        std::string::npos);
}

TEST_CASE("retrieval finds questions in a log of ingested texts") {
  const Json json = scored({"--results", retrieval_example("results.jsonl"), "--gold", retrieval_example("gold.jsonl"),
                            "--ingested", retrieval_example("ingested.jsonl")});
  const Json& found = json.at("phase_separation").at("found");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("question_id") == "two-cranes");
  CHECK(found[0].at("place").get<std::string>().ends_with("ingested.jsonl:3"));
}

TEST_CASE("retrieval scores CSV results like JSON Lines ones") {
  const Json from_csv =
      scored({"--results", retrieval_example("results.csv"), "--gold", retrieval_example("gold.jsonl"), "--questions"});
  const Json from_json = scored(
      {"--results", retrieval_example("results.jsonl"), "--gold", retrieval_example("gold.jsonl"), "--questions"});
  REQUIRE(from_csv.at("question_results").size() == 3);
  for (const Json& result : from_csv.at("question_results")) {
    bool same = false;
    for (const Json& other : from_json.at("question_results")) same = same || other == result;
    INFO(result.dump());
    CHECK(same);
  }
}

TEST_CASE("retrieval lists rows that can not be used and scores the rest") {
  const TemporaryFolder folder;
  const std::string gold = folder.write("gold.jsonl",
                                        "{\"question_id\":\"q1\",\"relevant\":[\"a\"]}\n"
                                        "{\"question_id\":\"q2\",\"abstention\":true,\"relevant\":[\"a\"]}\n"
                                        "{\"question_id\":\"q3\"}\n"
                                        "{\"question_id\":\"q4\",\"relevant\":[\"a\"],\"as_of\":\"soon\"}\n"
                                        "{\"question_id\":\"q1\",\"relevant\":[\"b\"]}\n"
                                        "not JSON\n");
  const std::string results = folder.write("results.jsonl",
                                           "{\"question_id\":\"q1\",\"returned\":[\"a\"]}\n"
                                           "{\"question_id\":\"q1\",\"returned\":[\"b\"]}\n"
                                           "{\"question_id\":\"q9\",\"returned\":[]}\n"
                                           "{\"question_id\":\"q1\",\"run\":\"2\",\"returned\":\"a\"}\n");
  const ProgramResult run = run_memuse({"retrieval", "--results", results, "--gold", gold, "--json"});
  CHECK(run.exit_code == 1);
  for (const char* place : {"gold.jsonl:2 ", "gold.jsonl:3 ", "gold.jsonl:4 ", "gold.jsonl:5 ", "gold.jsonl:6 ",
                            "results.jsonl:2 ", "results.jsonl:4 "}) {
    INFO(place << "\n" << run.err);
    CHECK(run.err.find(place) != std::string::npos);
  }
  const Json json = Json::parse(run.out);
  CHECK(json.at("gold_questions") == 1);
  CHECK(json.at("results") == 1);
  CHECK(json.at("questions_without_gold") == Json{"q9"});
  CHECK(json.at("configurations")[0].at("categories").back().at("depths")[0].at("precision").at("value") == 1.0);
}

TEST_CASE("retrieval says what is missing on its command line") {
  CHECK(run_memuse({"retrieval", "--gold", retrieval_example("gold.jsonl")}).exit_code == 2);
  CHECK(
      run_memuse({"retrieval", "--gold", "no-such-file", "--results", retrieval_example("results.jsonl")}).exit_code ==
      2);
  CHECK(run_memuse({"retrieval", "--gold", retrieval_example("gold.jsonl"), "--results",
                    retrieval_example("results.jsonl"), "-k", "0"})
            .exit_code == 2);
  CHECK(run_memuse({"retrieval", "--gold", retrieval_example("gold.jsonl"), "--results",
                    retrieval_example("results.jsonl"), "-k", "-1"})
            .exit_code == 2);
}

TEST_CASE("retrieval prints every format and hostile names literally") {
  const TemporaryFolder folder;
  const std::string gold =
      folder.write("gold.jsonl", "{\"question_id\":\"=1&_{\\n\",\"category\":\"<b>|\",\"relevant\":[\"a\"]}\n");
  const std::string results = folder.write("results.jsonl", "{\"question_id\":\"=1&_{\\n\",\"returned\":[\"a\"]}\n");
  for (const char* format : {"text", "markdown", "latex", "csv", "json"}) {
    CHECK_FALSE(
        memuse_output({"retrieval", "--results", results, "--gold", gold, "--questions", "--format", format}).empty());
  }
}
