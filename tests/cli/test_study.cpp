// Studies of several configurations and runs, named by a manifest, through the real program.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"

using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::run_memuse;
using memuse::test::shared_data;
using memuse::test::TemporaryFolder;
using Json = nlohmann::json;

namespace {

/// A mini-swe-agent trajectory of one call that costs `cost`, made at `second`.
std::string trajectory(const std::string& task, double cost, int second) {
  const Json usage{{"prompt_tokens", 10}, {"completion_tokens", 2}};
  const Json answer{
      {"role", "assistant"},
      {"content", "Done."},
      {"tool_calls",
       {{{"id", "c1"}, {"type", "function"}, {"function", {{"name", "bash"}, {"arguments", R"({"command":"ls"})"}}}}}},
      {"extra",
       {{"actions", {{{"command", "ls"}, {"tool_call_id", "c1"}}}},
        {"cost", cost},
        {"timestamp", 1760000000 + second},
        {"response", {{"model", "m"}, {"usage", usage}}}}}};
  return Json{{"info",
               {{"exit_status", "Submitted"},
                {"submission", ""},
                {"model_stats", {{"instance_cost", cost}, {"api_calls", 1}}},
                {"mini_version", "2.1.0"},
                {"config",
                 {{"agent_type", "minisweagent.agents.default.DefaultAgent"}, {"model", {{"model_name", "lab/m"}}}}}}},
              {"messages",
               {{{"role", "system"}, {"content", "s"}},
                {{"role", "user"}, {"content", "<pr_description>mend it</pr_description>"}},
                answer,
                {{"role", "exit"}, {"content", ""}, {"extra", {{"exit_status", "Submitted"}, {"submission", ""}}}}}},
              {"trajectory_format", "mini-swe-agent-1.1"},
              {"instance_id", task}}
      .dump();
}

std::string report(bool resolved) {
  return Json{{"patch_is_None", false}, {"patch_exists", true}, {"resolved", resolved}}.dump();
}

/// One line an episode: configuration/run/task, position, verdict, retained.
std::vector<std::string> episodes(const std::string& database) {
  std::vector<std::string> found;
  std::istringstream lines(memuse_output({"export", "episodes", "--db", database}));
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    const auto text = [&](const char* field) { return row[field].get<std::string>(); };
    found.push_back(text("configuration") + "/" + text("run") + "/" + text("task_id") + " " + row["position"].dump() +
                    " " + row["resolved"].dump() + (row["retained"].get<bool>() ? "" : " set aside"));
  }
  return found;
}

Json profile_of(const std::string& database, const std::string& configuration) {
  std::istringstream lines(memuse_output({"export", "profiles", "--db", database}));
  for (std::string line; std::getline(lines, line);) {
    Json row = Json::parse(line);
    if (row["configuration"] == configuration && row["run"].is_null()) return row;
  }
  FAIL("no profile of " << configuration);
  return {};
}

}  // namespace

TEST_CASE("a manifest names three configurations with their runs, outcomes and order") {
  const TemporaryFolder folder;
  folder.write("a/x__x-1.traj.json", trajectory("x__x-1", 0.5, 1));
  folder.write("a/x__x-2.traj.json", trajectory("x__x-2", 0.5, 2));
  folder.write("b/x__x-1.traj.json", trajectory("x__x-1", 0.25, 1));
  folder.write("plain/traces/x__x-1.traj.json", trajectory("x__x-1", 0.125, 1));
  folder.write("plain/reports/x__x-1.report.json", report(true));
  folder.write("order.txt", "x__x-2\nx__x-1\n");
  folder.write("a.csv", "task_id,resolved\nx__x-1,false\nx__x-2,true\n");
  const std::string manifest = folder.write("runs.csv",
                                            "path,configuration,run,outcomes,order,baseline\n"
                                            "a,cards,r1,a.csv,order.txt,no\n"
                                            "b,notes,r1,,,\n"
                                            "plain,none,r1,,,yes\n");
  const std::string database = folder / "study.db";
  memuse_output({"ingest", "--manifest", manifest, "--db", database});
  const std::vector<std::string> expected{"cards/r1/x__x-2 1 true", "cards/r1/x__x-1 2 false",
                                          "none/r1/x__x-1 null true", "notes/r1/x__x-1 null null"};
  CHECK(episodes(database) == expected);
  CHECK_THAT(memuse_output({"tables", "runs", "--db", database}), Catch::Matchers::Contains("Baseline: none."));
  // Reading it again changes nothing.
  memuse_output({"ingest", "--manifest", manifest, "--db", database, "--jobs", "1"});
  CHECK(episodes(database) == expected);

  const ProgramResult missing = run_memuse({"ingest", "--db", database});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, Catch::Matchers::Contains("--manifest"));
}

TEST_CASE("a drafted manifest reads the same study") {
  const TemporaryFolder folder;
  folder.write("runs/a/x__x-1.traj.json", trajectory("x__x-1", 0.5, 1));
  folder.write("runs/a/x__x-2.traj.json", trajectory("x__x-2", 0.5, 2));
  folder.write("runs/b/x__x-1.traj.json", trajectory("x__x-1", 0.25, 1));
  const std::string manifest = folder / "runs.csv";
  memuse_output({"check", folder / "runs", "--draft-manifest", manifest});
  memuse_output({"ingest", "--manifest", manifest, "--db", folder / "drafted.db"});
  memuse_output({"ingest", folder / "runs", "--db", folder / "direct.db"});
  CHECK(episodes(folder / "drafted.db") == episodes(folder / "direct.db"));
  CHECK(episodes(folder / "direct.db").size() == 3);
}

TEST_CASE("of the attempts at a task the latest finalised one is retained, and the cost of the others is kept apart") {
  const TemporaryFolder folder;
  folder.write("try1/x__x-1.traj.json", trajectory("x__x-1", 0.5, 1));
  folder.write("try2/x__x-1.traj.json", trajectory("x__x-1", 0.25, 9));
  const std::string database = folder / "study.db";
  memuse_output({"ingest", folder.path().string(), "--configuration", "c", "--run", "r", "--db", database});
  const std::vector<std::string> found = episodes(database);
  REQUIRE(found.size() == 2);
  CHECK(std::count(found.begin(), found.end(), "c/r/x__x-1 null null set aside") == 1);
  CHECK(std::count(found.begin(), found.end(), "c/r/x__x-1 null null") == 1);
  const Json profile = profile_of(database, "c");
  CHECK(profile["episodes"] == 1);
  CHECK(profile["episodes_not_recorded"] == 1);
  CHECK(profile["attempts_set_aside"] == 1);
  CHECK(profile["agent_cost_usd"] == 0.25);
  CHECK(profile["attempts_set_aside_cost_usd"] == 0.5);
  CHECK_THAT(memuse_output({"show", "run", "c/r", "--db", database}),
             Catch::Matchers::Contains("set aside, 0.5000 US dollars"));
}

TEST_CASE("reports beside the traces of one run are its outcomes; a file that is named wins") {
  const TemporaryFolder folder;
  folder.write("traces/x__x-1.traj.json", trajectory("x__x-1", 0.5, 1));
  folder.write("traces/x__x-2.traj.json", trajectory("x__x-2", 0.5, 1));
  folder.write("reports/x__x-1.report.json", report(true));
  folder.write("reports/x__x-2.report.json", report(false));
  const std::string named = folder.write("outside.csv", "task_id,resolved\nx__x-2,true\n");
  const std::string database = folder / "study.db";
  const ProgramResult first = run_memuse({"ingest", folder / "traces", folder / "reports", "--db", database});
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.err, Catch::Matchers::Contains("2 outcomes found beside the traces"));
  CHECK(episodes(database) == std::vector<std::string>{"m/traces/x__x-1 null true", "m/traces/x__x-2 null false"});
  memuse_output({"ingest", folder / "traces", folder / "reports", "--outcomes", named, "--db", database});
  CHECK(episodes(database) == std::vector<std::string>{"m/traces/x__x-1 null true", "m/traces/x__x-2 null true"});
}
