// --rules on the command line, with the example of docs/delivery-rules.md.

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/data.h"
#include "support/program.h"

using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;
using nlohmann::json;

namespace {

std::string rules_example(const std::string& name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / name).string();
}

}  // namespace

TEST_CASE("check --show-matches lists what the rules find, as text and as JSON") {
  const std::string traces = rules_example("unannotated/harbour.jsonl");
  const std::string rules = "mem0," + rules_example("notebook-rules.json");
  const json report = json::parse(memuse_output({"check", traces, "--rules", rules, "--show-matches", "--json"}));
  CHECK(report["totals"]["deliveries"] == 3);
  CHECK(report["totals"]["delivery_grade"]["by_rule"] == 2);
  CHECK(report["matches_total"] == 3);
  CHECK_FALSE(report.contains("rule_suggestions"));
  REQUIRE(report["matches"].size() == 3);
  CHECK(report["matches"][0]["rule"] == "mem0/prompt-hook");
  CHECK(report["matches"][0]["step"] == 1);
  CHECK(report["matches"][0]["entries"].size() == 2);
  CHECK(report["matches"][1]["rule"] == "mem0/mcp-search");
  CHECK(report["matches"][1]["route"] == "agent");
  CHECK(report["matches"][1]["step"] == 3);
  CHECK(report["matches"][2]["rule"] == "notebook/notes");
  CHECK(report["matches"][2]["message_id"] == "m1");
  CHECK(report["matches"][2]["entries"][1]["item"] == "NB-9");
  const std::string text = memuse_output({"check", traces, "--rules", rules, "--show-matches"});
  CHECK_THAT(text, Catch::Contains("notebook/notes (host, notebook)") && Catch::Contains("NB-3: Times on the page"));
  for (const char* jobs : {"1", "4"}) {
    CHECK(memuse_output({"check", traces, "--rules", rules, "--show-matches", "--jobs", jobs}) == text);
  }
}

TEST_CASE("check without rules says which presets would match, and claims nothing") {
  const json report = json::parse(memuse_output({"check", rules_example("unannotated/harbour.jsonl"), "--json"}));
  CHECK(report["totals"]["deliveries"] == 0);
  CHECK(report["totals"]["delivery_grade"]["not_recorded"] == 2);
  CHECK(report["rule_suggestions"] == json::parse(R"([{"rules": "mem0", "deliveries": 2, "episodes": 1}])"));
  const std::string annotated =
      (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "traces" / "cards.r1.jsonl").string();
  CHECK(json::parse(memuse_output({"check", annotated, "--json"}))["rule_suggestions"].empty());
}

TEST_CASE("ingest --rules writes the deliveries into the emitted trace") {
  const std::string trace =
      memuse_output({"ingest", rules_example("unannotated/harbour.jsonl"), "--rules", "mem0", "--emit-trace", "-"});
  CHECK_THAT(trace,
             Catch::Contains(R"("id":"mem0/prompt-hook#1")") && Catch::Contains(R"("delivery_grade":"by_rule")"));
}

TEST_CASE("the option --rules tells what is wrong with its files and names") {
  const TemporaryFolder folder;
  ProgramResult result = run_memuse({"check", rules_example("unannotated/harbour.jsonl"), "--rules", "mem1"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("neither a file nor a preset") && Catch::Contains("reasoningbank"));
  std::string text = memuse::test::read_file(rules_example("notebook-rules.json"));
  text.replace(text.find("== team"), 7, "(= team");
  result = run_memuse({"run", rules_example("unannotated/harbour.jsonl"), "--rules", folder.write("r.json", text), "-o",
                       folder / "out"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("rule \"notes\"") && Catch::Contains("missing )"));
  CHECK(run_memuse({"check"}).exit_code == 2);
  CHECK(run_memuse({"check", rules_example("unannotated/harbour.jsonl"), "--show-matches"}).exit_code == 2);
}

TEST_CASE("check --list-rules lists presets, and the rules of those that are named") {
  const std::string all = memuse_output({"check", "--list-rules"});
  CHECK_THAT(all, Catch::Contains("mem0 ") && Catch::Contains("wikitrace") && Catch::Contains("unverified"));
  const std::string one = memuse_output({"check", "--list-rules", "--rules", "letta"});
  CHECK_THAT(one, Catch::Contains("letta/memory-blocks (code, host, memory blocks)"));
  const json list = json::parse(memuse_output({"check", "--list-rules", "--json"}));
  CHECK(list.size() > 20);
  CHECK(list[0]["rules"].size() > 0);
}

TEST_CASE("all presets find in real traces what their harnesses placed, and nothing else") {
  const std::filesystem::path folder = (memuse::test::shared_data() / ".." / "traces").lexically_normal();
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: " << folder << " is not there");
    return;
  }
  // Exit code 1: some of the files are no traces, and are told.
  const json report =
      json::parse(run_memuse({"check", folder.string(), "--rules", "all", "--show-matches", "--json"}).out);
  CHECK(report["totals"]["episodes"].get<int>() > 400);
  std::map<std::string, int> rules;
  for (const json& match : report["matches"]) {
    ++rules[match["rule"].get<std::string>() + " " + match["episode"].get<std::string>()];
  }
  // The recall event of one run has the knowledge of two keywords. No Claude Code session of these versions keeps the
  // text of CLAUDE.md, hooks there speak behind a tool's use only, and the texts of the Codex rollouts are redacted.
  CHECK(rules == std::map<std::string, int>{{"openhands/extra-info ponylang__ponyc-4595", 2}});
  CHECK(report["matches_total"] == 2);
  CHECK(report["totals"]["delivery_grade"]["by_rule"] == 1);
}
