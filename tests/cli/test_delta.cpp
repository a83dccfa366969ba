// Controlled comparisons through the real program.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.h"

using Catch::Matchers::Contains;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;
using nlohmann::json;

namespace {

std::string example(const std::string& name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "delta" / name).string();
}

/// Two strategies that differ in their memory method alone.
json declaration() {
  const auto strategy = [](const std::string& name, const std::string& method) {
    return json{{"name", name},
                {"components",
                 {{"memory_method", method},
                  {"embedding_model", "e1"},
                  {"retrieval", "dense"},
                  {"chunking", "turns"},
                  {"top_k", 8},
                  {"reader_model", "m1"},
                  {"prompt", "p1"},
                  {"judge", "exact match"},
                  {"judge_prompt", "none"}}}};
  };
  return {{"format", "memuse-delta/1"},
          {"results", "rows.csv"},
          {"strategies", {strategy("a", "facts"), strategy("b", "verbatim")}},
          {"comparisons", {{{"first", "a"}, {"second", "b"}, {"factor", "memory_method"}}}}};
}

const char* const kRows =
    "strategy,instance,question_type,correct\n"
    "a,q1,update,true\na,q2,update,true\na,q3,order,false\n"
    "b,q1,update,true\nb,q2,update,false\nb,q3,order,false\n";

/// Runs `delta` on a declaration and rows.
struct DeltaFolder {
  TemporaryFolder folder;
  json declared = declaration();
  std::string rows = kRows;
  std::string rows_name = "rows.csv";

  ProgramResult run(std::vector<std::string> more = {}) {
    folder.write(rows_name, rows);
    const std::string path = folder.write("study.json", declared.dump());
    std::vector<std::string> arguments{"delta", "--declaration", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_memuse(arguments);
  }

  json report(int exit_code = 0) {
    const ProgramResult result = run({"--json"});
    INFO(result.err);
    REQUIRE(result.exit_code == exit_code);
    return json::parse(result.out);
  }
};

}  // namespace

TEST_CASE("delta: an embedding model that differs silently is flagged and the conclusion withheld") {
  const ProgramResult result = run_memuse({"delta", "--declaration", example("confounded.json"), "--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("not controlled: facts vs chunks: embedding_model differs too (embed-l against "
                                  "embed-s)"));
  const json comparison = json::parse(result.out)["comparisons"][0];
  CHECK(comparison["controlled"] == false);
  CHECK(comparison["confounds"].size() == 1);
  CHECK(comparison["confounds"][0]["component"] == "embedding_model");
  CHECK_THAT(comparison["conclusion"].get<std::string>(), Contains("Withheld"));
  CHECK_THAT(comparison["warnings"][0].get<std::string>(), Contains("declared as embed-s"));
  // The numbers are printed all the same.
  CHECK(comparison["estimates"]["failures_excluded"]["n"] > 30);
}

TEST_CASE("delta: the same with the embedding model declared is reported as the factor") {
  const json report = json::parse(memuse_output({"delta", "--declaration", example("study.json"), "--json"}));
  CHECK(report["all_controlled"] == true);
  const json& comparison = report["comparisons"][1];
  CHECK(comparison["factor"] == "embedding_model");
  CHECK(comparison["controlled"] == true);
  CHECK_THAT(comparison["conclusion"].get<std::string>(), Contains("Controlled: only embedding_model differs"));
  for (const json& line : report["checklist"]) {
    INFO(line.dump());
    CHECK((line["state"] == "met") == (line["key"] != "matched_instances"));
  }
}

TEST_CASE("delta: worked by hand") {
  DeltaFolder folder;
  const json report = folder.report();
  const json& estimate = report["comparisons"][0]["estimates"]["failures_excluded"];
  CHECK(estimate["n"] == 3);
  CHECK(estimate["first"]["value"] == Approx(2.0 / 3.0));
  CHECK(estimate["second"]["value"] == Approx(1.0 / 3.0));
  CHECK(estimate["only_first"] == 1);
  CHECK(estimate["only_second"] == 0);
  CHECK(estimate["p"] == 1.0);
  CHECK(estimate["test"] == "mcnemar_exact");
  CHECK(report["comparisons"][0]["question_types"].size() == 2);
  CHECK(report["bootstrap"]["resamples"] == 2000);
  CHECK(report["strategies"][0]["refusals"]["share"].is_null());
  CHECK(report["strategies"][0]["costs"]["write_dollars"]["total"].is_null());
}

TEST_CASE("delta: JSON Lines say the same as CSV, and the order of rows changes no byte") {
  DeltaFolder csv;
  const ProgramResult from_csv = csv.run();
  CHECK(from_csv.exit_code == 0);
  DeltaFolder lines;
  lines.declared["results"] = "rows.jsonl";
  lines.rows_name = "rows.jsonl";
  lines.rows = R"({"strategy":"b","instance":"q3","question_type":"order","correct":0})"
               "\n"
               R"({"strategy":"b","instance":"q2","question_type":"update","correct":false,"refused":null})"
               "\n"
               R"({"strategy":"b","instance":"q1","question_type":"update","correct":1.0})"
               "\n"
               R"({"strategy":"a","instance":"q3","question_type":"order","correct":false})"
               "\n"
               R"({"strategy":"a","instance":"q2","question_type":"update","correct":true})"
               "\n"
               R"({"strategy":"a","instance":"q1","question_type":"update","correct":true})"
               "\n";
  CHECK(lines.run().out == from_csv.out);
}

TEST_CASE("delta: an undeclared component and another judge withhold the conclusion") {
  DeltaFolder folder;
  folder.declared["strategies"][0]["components"]["embedding_model"] = nullptr;
  json report = folder.report(1);
  CHECK(report["comparisons"][0]["confounds"][0]["sentence"] == "embedding_model is not declared for a");
  folder.declared = declaration();
  folder.declared["strategies"][1]["components"]["judge"] = "a model";
  report = folder.report(1);
  CHECK(report["comparisons"][0]["confounds"][0]["component"] == "judge");
  CHECK_THAT(report["comparisons"][0]["warnings"][0].get<std::string>(), Contains("not on one scale"));
}

TEST_CASE("delta: a declaration is read strictly, with the path to what is wrong") {
  const auto refused = [](const std::function<void(json&)>& change, const std::string& path, const std::string& words) {
    DeltaFolder folder;
    change(folder.declared);
    const ProgramResult result = folder.run();
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(path + ": ") && Contains(words));
  };
  refused([](json& d) { d["strategies"][1]["components"]["embeding_model"] = "e"; },
          "strategies[1].components.embeding_model", "allowed: memory_method, embedding_model");
  refused([](json& d) { d["comparison"] = 1; }, "comparison", "unknown key; allowed: format, results");
  refused([](json& d) { d["comparisons"][0]["factor"] = "model"; }, "comparisons[0].factor", "must be a component");
  refused([](json& d) { d["comparisons"][0]["second"] = "c"; }, "comparisons[0].second", "declared: a, b");
  refused([](json& d) { d["comparisons"][0]["second"] = "a"; }, "comparisons[0]", "with itself");
  refused([](json& d) { d["strategies"][1]["name"] = "a"; }, "strategies[1].name", "declared twice");
  refused([](json& d) { d["strategies"][0]["components"]["top_k"] = true; }, "strategies[0].components.top_k",
          "a number, or null");
  refused([](json& d) { d["strategies"][0]["role"] = "baseline"; }, "strategies[0].role", "verbatim_rag");
  refused(
      [](json& d) {
        d["strategies"][0]["write_path"] = {{"calls", -1}};
      },
      "strategies[0].write_path.calls", "from 0 to 1e15");
  refused([](json& d) { d["format"] = "memuse-delta/2"; }, "format", "memuse-delta/1");
  refused([](json& d) { d["strategies"] = json::array(); }, "strategies", "names no strategy");
  refused([](json& d) { d["comparisons"] = nullptr; }, "comparisons", "names no comparison");
  DeltaFolder twice;
  twice.folder.write("rows.csv", twice.rows);
  const std::string path = twice.folder.write("twice.json", R"({"format":"memuse-delta/1","format":"memuse-delta/1"})");
  CHECK(run_memuse({"delta", "--declaration", path}).exit_code == 2);
}

TEST_CASE("delta: rows that cannot be used are listed, set aside, and end in exit code 1") {
  DeltaFolder folder;
  folder.rows = std::string(kRows) +
                "a,q4,update,nan\n"
                "a,q5,update,1.5\n"
                "a,q6,update,maybe\n"
                "a,,update,true\n"
                "a,q7,update\n"
                "a," +
                std::string(2000, 'x') +
                ",update,true\n"
                "a,q8\xff,update,true\n";
  const ProgramResult result = folder.run({"--json"});
  CHECK(result.exit_code == 1);
  for (int line = 8; line <= 14; ++line) CHECK_THAT(result.err, Contains("rows.csv:" + std::to_string(line)));
  const json report = json::parse(result.out);
  CHECK(report["strategies"][0]["rows"] == 3);
  CHECK(report["comparisons"][0]["controlled"] == true);
}

TEST_CASE("delta: contradicting rows set their instance aside with both places, repeated ones count once") {
  DeltaFolder folder;
  folder.rows = std::string(kRows) + "a,q1,update,true\na,q2,update,false\n";
  const ProgramResult result = folder.run({"--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("rows.csv:9") && Contains("in line 3 of") && Contains("several runs need the field"));
  const json report = json::parse(result.out);
  CHECK(report["rows"]["repeated"] == 1);
  CHECK(report["comparisons"][0]["estimates"]["failures_excluded"]["n"] == 2);
  CHECK(report["comparisons"][0]["dropped"] ==
        json::parse(R"([{"instance":"q2","first":"contradicted","second":null}])"));
}

TEST_CASE("delta: several runs average, failures stand on a line of their own, dropped instances are listed") {
  DeltaFolder folder;
  folder.rows =
      "strategy,instance,run,correct,failed\n"
      "a,q1,r1,true,\na,q1,r2,false,\na,q2,r1,true,\na,q3,r1,,out of memory\na,q4,r1,true,\n"
      "b,q1,r1,false,\nb,q2,r1,true,\nb,q3,r1,true,no\n";
  const json report = folder.report();
  const json& comparison = report["comparisons"][0];
  CHECK(comparison["estimates"]["failures_excluded"]["n"] == 2);
  CHECK(comparison["estimates"]["failures_excluded"]["first"]["value"] == 0.75);
  CHECK(comparison["estimates"]["failures_excluded"]["test"] == "sign_exact");
  CHECK(comparison["estimates"]["failures_as_wrong"]["n"] == 3);
  CHECK(report["strategies"][0]["failure_reasons"][0]["reason"] == "out of memory");
  const ProgramResult text = folder.run({"--list-dropped"});
  CHECK_THAT(text.out, Contains("as wrong") && Contains("Instances that are not compared") && Contains("missing"));
}

TEST_CASE("delta: one file can hold a strategy under several reader models, told apart by select") {
  DeltaFolder folder;
  folder.rows =
      "strategy,instance,reader_model,correct\n"
      "x,q1,m1,true\nx,q2,m1,true\nx,q1,m2,false\nx,q2,m2,true\nx,q1,m3,true\nlost,q1,m1,true\n";
  for (std::size_t i = 0; i < 2; ++i) {
    json& strategy = folder.declared["strategies"][i];
    strategy["components"]["memory_method"] = "facts";
    strategy["components"]["reader_model"] = i == 0 ? "m1" : "m2";
    strategy["select"] = {{"strategy", "x"}, {"reader_model", i == 0 ? "m1" : "m2"}};
  }
  folder.declared["comparisons"][0]["factor"] = "reader_model";
  const json report = folder.report();
  CHECK(report["comparisons"][0]["estimates"]["failures_excluded"]["difference"]["value"] == 0.5);
  CHECK(report["rows"]["not_selected"] == 1);
  CHECK(report["rows"]["undeclared_strategies"]["lost"] == 1);
}

TEST_CASE("delta: LongMemEval's evaluated answers are read as they are") {
  const json report = json::parse(memuse_output({"delta", "--declaration", example("longmemeval.json"), "--json"}));
  CHECK(report["all_controlled"] == true);
  CHECK(report["strategies"][0]["components"]["judge"]["value"] == "judge-9");
  CHECK(report["strategies"][0]["components"]["judge"]["source"] == "rows");
  const json& comparison = report["comparisons"][0];
  CHECK(comparison["estimates"]["failures_excluded"]["n"] == 6);
  REQUIRE(comparison["question_types"].size() == 4);
  CHECK(comparison["question_types"][0]["type"] == "knowledge-update");
  CHECK(comparison["question_types"][3]["abstention"] == true);
  CHECK(comparison["question_types"][3]["estimates"]["failures_excluded"]["n"] == 1);
}

TEST_CASE("delta: an answer that was not judged is not compared, and a label that is none is a fault") {
  TemporaryFolder folder;
  json declared = declaration();
  declared.erase("results");
  declared["strategies"][0]["results"] = "a.jsonl";
  declared["strategies"][1]["results"] = json::array({"b.jsonl"});
  const auto line = [](const std::string& id, const std::string& label) {
    return R"({"question_id":")" + id + R"(","hypothesis":"…")" +
           (label.empty() ? "" : R"(,"autoeval_label":{"model":"exact match","label":)" + label + "}") + "}\n";
  };
  folder.write("a.jsonl", line("q1", "true") + line("q2", "") + line("q3", "\"yes\""));
  folder.write("b.jsonl", line("q1", "false") + line("q2", "true"));
  const std::string path = folder.write("study.json", declared.dump());
  const ProgramResult result = run_memuse({"delta", "--declaration", path, "--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("a.jsonl:3") && Contains("`correct` is \"yes\""));
  const json report = json::parse(result.out);
  CHECK(report["strategies"][0]["unscored"] == 1);
  CHECK(report["comparisons"][0]["dropped"][0]["first"] == "unscored");
  // Rows that name no strategy cannot stand in a file of all strategies.
  CHECK_THAT(run_memuse({"delta", "--declaration", path, folder / "a.jsonl"}).err, Contains("`strategy` is missing"));
}

TEST_CASE("delta: further fields of LongMemEval's lines count like those of a row, and unknown ones are listed") {
  TemporaryFolder folder;
  json declared = declaration();
  declared.erase("results");
  declared["strategies"][0]["results"] = "a.jsonl";
  declared["strategies"][1]["results"] = "b.jsonl";
  const auto line = [](const std::string& embedding) {
    return R"({"question_id":"q1","hypothesis":"…","embedding_model":")" + embedding +
           R"(","mood":"fine","read_tokens":7,"autoeval_label":{"model":"exact match","label":true}})" + "\n";
  };
  folder.write("a.jsonl", line("e9") + R"({"question_id":"q2","failed":"timeout"})" + "\n");
  folder.write("b.jsonl", line("e1"));
  const ProgramResult result =
      run_memuse({"delta", "--declaration", folder.write("study.json", declared.dump()), "--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("result.mood") && !Contains("result.hypothesis"));
  const json report = json::parse(result.out);
  CHECK(report["strategies"][0]["failed"] == 1);
  CHECK(report["strategies"][1]["costs"]["read_tokens"]["total"] == 7.0);
  REQUIRE(report["comparisons"][0]["confounds"].size() == 1);
  CHECK(report["comparisons"][0]["confounds"][0]["component"] == "embedding_model");
}

TEST_CASE("delta: a reason without a failure and a word for an empty cell are faults") {
  DeltaFolder folder;
  folder.rows =
      "strategy,instance,correct,failed,failure_reason,read_tokens\n"
      "a,q1,true,,,\n"
      "a,q2,false,,timeout,\n"
      "a,q3,false,false,timeout,\n"
      "a,q4,true,None,,\n"
      "a,q5,true,NaN,,\n"
      "a,q6,true,,nan,\n"
      "a,q7,true,,,1e16\n"
      "a,q8,,true,timeout,\n"
      "b,q1,false,,,\n";
  const ProgramResult result = folder.run({"--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("`failure_reason` is given, but `failed` is not true") &&
                             Contains("leave the cell empty") && Contains("from 0 to 1e15"));
  for (int line = 3; line <= 8; ++line) CHECK_THAT(result.err, Contains("rows.csv:" + std::to_string(line) + " "));
  const json report = json::parse(result.out);
  CHECK(report["strategies"][0]["rows"] == 2);
  CHECK(report["strategies"][0]["failed"] == 1);
}

TEST_CASE("delta: one file written for both sides is not controlled, however its path is spelt") {
  TemporaryFolder folder;
  json declared = declaration();
  declared.erase("results");
  declared["strategies"][0]["results"] = "rows.csv";
  declared["strategies"][1]["results"] = "./rows.csv";
  folder.write("rows.csv", "instance,correct\nq1,true\nq2,false\n");
  const ProgramResult result =
      run_memuse({"delta", "--declaration", folder.write("study.json", declared.dump()), "--json"});
  CHECK(result.exit_code == 1);
  const json comparison = json::parse(result.out)["comparisons"][0];
  REQUIRE(comparison["confounds"].size() == 1);
  CHECK(comparison["confounds"][0]["kind"] == "same_rows");
}

TEST_CASE("delta: a draft keeps two files of one name apart") {
  TemporaryFolder folder;
  memuse::test::write_file(folder / "x/r.csv", "instance,correct\nq1,true\n");
  memuse::test::write_file(folder / "y/r.csv", "instance,correct\nq1,false\n");
  const ProgramResult result = run_memuse({"delta", folder / "x/r.csv", folder / "y/r.csv", "--draft", "-"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("two files would both be strategy `r`"));
}

TEST_CASE("delta: a declared total beside another amount in the rows is no contradiction") {
  DeltaFolder folder;
  folder.declared["strategies"][0]["write_path"] = {{"calls", 3}};
  folder.rows = "strategy,instance,correct,write_seconds\na,q1,true,2\nb,q1,true,2\n";
  const json report = folder.report();
  CHECK(report["strategies"][0]["costs"]["write_calls"]["total"] == 3.0);
  CHECK(report["strategies"][0]["costs"]["write_seconds"]["total"] == 2.0);
}

TEST_CASE("delta: a database of memuse is a file of results") {
  const TemporaryFolder folder;
  const std::string database = folder / "study.db";
  const std::string traces = (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "traces").string();
  memuse_output({"ingest", traces, "--db", database});
  const json draft = json::parse(memuse_output({"delta", database, "--draft", "-"}));
  REQUIRE(draft["strategies"].size() == 2);
  CHECK(draft["strategies"][0]["name"] == "cards");
  CHECK(draft["comparisons"][0]["factor"].is_null());
  const std::string path = folder.write("study.json", draft.dump());
  const ProgramResult result = run_memuse({"delta", "--declaration", path, "--json"});
  CHECK(result.exit_code == 1);
  const json report = json::parse(result.out);
  CHECK(report["comparisons"][0]["confounds"][0]["kind"] == "no_factor");
  CHECK(report["comparisons"][0]["estimates"]["failures_excluded"]["n"] == 6);
  CHECK(report["strategies"][0]["executions"] == 12);
}

TEST_CASE("delta: a draft never overwrites a file, and can be completed") {
  const TemporaryFolder folder;
  const std::string draft = folder / "draft.json";
  memuse_output({"delta", example("results.csv"), "--draft", draft});
  const ProgramResult again = run_memuse({"delta", example("results.csv"), "--draft", draft});
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, Contains("never overwrites"));
  json completed = json::parse(read_file(draft));
  CHECK(completed["strategies"][0]["components"]["embedding_model"] == "embed-s");
  CHECK(completed["strategies"][0]["components"]["chunking"].is_null());
  const ProgramResult result = run_memuse({"delta", "--declaration", draft, "--table", "conclusions"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("no factor was declared"));
}

TEST_CASE("delta: hostile texts do no harm in any format") {
  DeltaFolder folder;
  folder.declared["strategies"][0]["name"] = "=1+1\x1b[31m";
  folder.declared["comparisons"][0]["first"] = "=1+1\x1b[31m";
  folder.rows =
      "strategy,instance,correct\n"
      "\"=1+1\x1b[31m\",\"=cmd|' /C calc'!A0\",true\nb,\"=cmd|' /C calc'!A0\",false\nb,\"\x1b]0;x\x07\",true\n";
  for (const char* format : {"text", "markdown", "latex", "json"}) {
    const ProgramResult result = folder.run({"--format", format, "--list-dropped"});
    CHECK(result.exit_code == 0);
    CHECK(result.out.find('\x1b') == std::string::npos);
    CHECK(result.err.find('\x1b') == std::string::npos);
  }
  const std::string csv = folder.run({"--format", "csv", "--table", "dropped"}).out;
  CHECK(csv.find("\n=") == std::string::npos);
  CHECK(csv.find('\x1b') == std::string::npos);
  const std::string strategies = folder.run({"--format", "csv", "--table", "strategies"}).out;
  CHECK_THAT(strategies, Contains("'=1+1"));
}

TEST_CASE("delta: what cannot be done is said") {
  DeltaFolder folder;
  CHECK_THAT(folder.run({"--format", "csv"}).err, Contains("holds one table"));
  CHECK_THAT(run_memuse({"delta"}).err, Contains("--declaration"));
  folder.declared["strategies"][0]["write_path"] = {{"calls", 3}};
  folder.rows = "strategy,instance,correct,write_calls\na,q1,true,2\nb,q1,true,2\n";
  const ProgramResult two = folder.run();
  CHECK(two.exit_code == 2);
  CHECK_THAT(two.err, Contains("leave out one of them"));
  folder.declared = declaration();
  folder.rows = "strategy,correct\na,true\n";
  CHECK_THAT(folder.run().err, Contains("column `instance`"));
  folder.rows = "[{\"instance\": 1}]";
  CHECK_THAT(folder.run().err, Contains("one row a line"));
  folder.declared["results"] = "missing.csv";
  CHECK(folder.run().exit_code == 2);
  folder.declared.erase("results");
  CHECK_THAT(folder.run().err, Contains("no results were named"));
}
