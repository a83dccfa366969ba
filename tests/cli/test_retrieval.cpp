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

TEST_CASE("retrieval sets a CSV result aside whole when one of its rows can not be used") {
  const TemporaryFolder folder;
  std::string gold;
  for (const char* id : {"q1", "q2", "q3", "q4", "q5", "q6"}) {
    gold += std::string(R"({"question_id":")") + id + R"(","relevant":["a"]})" + "\n";
  }
  const std::string results = folder.write("results.csv",
                                           "question_id,item,tokens\n"
                                           "q1,a,\n"
                                           "q1,b,\n"
                                           "q2,x,none\n"  // 4: no number
                                           "q2,a,\n"
                                           "q3,,\n"
                                           "q3,a,\n"  // 7: after a row that says that nothing came back
                                           "q1,c,\n"  // 8: a second result
                                           "q4,a\n"   // 9: a cell is missing; may be the first row of q5
                                           "q5,a,\n"  // 10: set aside
                                           "q6,a,\n");
  const ProgramResult run = run_memuse(
      {"retrieval", "--results", results, "--gold", folder.write("gold.jsonl", gold), "--questions", "--json"});
  CHECK(run.exit_code == 1);
  for (const char* place :
       {"results.csv:4 ", "results.csv:7 ", "results.csv:8 ", "results.csv:9 ", "results.csv:10 "}) {
    INFO(place << "\n" << run.err);
    CHECK(run.err.find(place) != std::string::npos);
  }
  const Json json = Json::parse(run.out);
  REQUIRE(json.at("question_results").size() == 2);
  CHECK(json.at("question_results")[0].at("question_id") == "q1");
  CHECK(json.at("question_results")[0].at("returned").size() == 2);
  CHECK(json.at("question_results")[1].at("question_id") == "q6");
}

TEST_CASE("retrieval says which configuration lacks questions and refuses a newest version that is none") {
  const TemporaryFolder folder;
  const std::string gold = folder.write(
      "gold.jsonl",
      R"({"question_id":"q1","relevant":["a"]})"
      "\n"
      R"({"question_id":"q2","relevant":["a"]})"
      "\n"
      R"({"question_id":"q3","relevant":["a"]})"
      "\n"
      R"({"question_id":"q4","relevant":["a"],"supersessions":[{"newest":{"item":"a"},"superseded":[{"item":"a","version":"2"}]}]})"
      "\n");
  const std::string results = folder.write("results.jsonl", R"({"question_id":"q1","configuration":"x","returned":[]})"
                                                            "\n"
                                                            R"({"question_id":"q2","configuration":"x","returned":[]})"
                                                            "\n"
                                                            R"({"question_id":"q1","configuration":"y","returned":[]})"
                                                            "\n");
  const ProgramResult run = run_memuse({"retrieval", "--results", results, "--gold", gold, "--json"});
  CHECK(run.exit_code == 1);
  CHECK(run.err.find("`newest` needs a version") != std::string::npos);
  const Json json = Json::parse(run.out);
  CHECK(json.at("questions_without_result") == Json::array({"q3"}));
  CHECK(json.at("questions_without_result_by_configuration") ==
        Json::parse(R"([{"configuration":"y","count":1,"question_ids":["q2"]}])"));
}

TEST_CASE("retrieval reads the values that actions carry as decoded, and no keys") {
  const TemporaryFolder folder;
  const auto used = [&](const std::string& arguments) {
    const std::string trace = folder.write(
        "trace.jsonl",
        R"({"type":"episode","schema":"memuse-trace/1","episode":"e1","task_id":"t","configuration":"c","run":"r","delivery_grade":"annotated","task":{"text":"Open the list of the crew."}})"
        "\n"
        R"({"type":"search","id":"s1","query":"path","returned":[{"item":"a","version":"2"}],"status":"completed"})"
        "\n"
        R"({"type":"step","step":1,"id":"m1","response":"Yes.","actions":[{"id":"x","name":"open","arguments":)" +
            arguments + "}]}\n");
    const std::string gold = folder.write(
        "gold.jsonl",
        R"({"question_id":"t","relevant":["a"],"supersessions":[{"newest":{"item":"a","version":"2"},"superseded":[{"item":"a","version":"1"}],"value":"say \"aye\""}]})"
        "\n");
    const Json json = scored({trace, "--gold", gold, "--questions"});
    // Nothing says what was ingested.
    CHECK(json.at("phase_separation").at("checked") == false);
    return json.at("question_results").at(0).at("supersessions").at(0).at("value_used").get<std::string>();
  };
  CHECK(used(R"({"text":"say \"aye\" now"})") == "newest");
  CHECK(used(R"({"say \"aye\"":"no"})") == "none");
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
      folder.write("gold.jsonl", R"({"question_id":"=1&_{\u001b","category":"<b>|","relevant":["a"]})"
                                 "\n");
  const std::string results = folder.write("results.jsonl", R"({"question_id":"=1&_{\u001b","returned":["a"]})"
                                                            "\n");
  const auto printed = [&](const std::string& format) {
    return memuse_output(
        {"retrieval", "--results", results, "--gold", gold, "--table", "questions", "--format", format});
  };
  for (const char* format : {"text", "markdown", "latex", "csv"}) {
    INFO(format);
    CHECK(printed(format).find('\x1b') == std::string::npos);
  }
  CHECK(printed("text").find("=1&_{") != std::string::npos);
  CHECK(printed("markdown").find("\\|") != std::string::npos);
  CHECK(printed("latex").find("\\&\\_\\{") != std::string::npos);
  CHECK(printed("csv").find("'=1&_{") != std::string::npos);
}
