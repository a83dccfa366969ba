#include "ingest/tau_bench.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/adapter_reading.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;
using test::AdapterReading;
using test::first_text;
using test::visible_texts;

const std::string kTauPath = "/study/results/small-1-airline.json";

AdapterReading read_tau(const std::string& bytes, const ReadOptions& options = {}, const std::string& path = kTauPath) {
  return test::read_bytes(tau_bench_adapter(), bytes, path, options);
}

/// An array of these; braces around one value would mean different things to different compilers.
Json tau_list(const std::vector<Json>& items) {
  Json all = Json::array();
  for (const Json& item : items) all.push_back(item);
  return all;
}

Json tau_call(const std::string& id, const std::string& name, const std::string& arguments) {
  return {{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

Json task_run(int task, int trial, double reward) {
  const Json messages{{{"role", "system"}, {"content", "Policy."}},
                      {{"role", "user"}, {"content", "Hi, a boat please."}},
                      {{"role", "assistant"}, {"content", "Which one?"}},
                      {{"role", "user"}, {"content", "The blue one."}},
                      {{"role", "assistant"},
                       {"content", nullptr},
                       {"tool_calls", tau_list({tau_call("c1", "book", R"({"boat": "blue"})")})}},
                      {{"role", "tool"}, {"tool_call_id", "c1"}, {"name", "book"}, {"content", "Error: full"}}};
  return {{"task_id", task},
          {"reward", reward},
          {"info",
           {{"task", {{"user_id", "u"}, {"instruction", "Secret wish"}, {"actions", {{{"name", "book"}}}}}},
            {"source", "book"},
            {"user_cost", 0.5},
            {"reward_info", {{"reward", reward}}}}},
          {"traj", messages},
          {"trial", trial}};
}

TEST_CASE("each task run is an episode, each trial a run", "[tau-bench]") {
  const AdapterReading reading = read_tau(tau_list({task_run(3, 0, 1.0), task_run(3, 1, 0.0)}).dump(2));
  CHECK(reading.diagnostics.empty());
  REQUIRE(reading.episodes.size() == 2);
  const Episode& first = reading.episodes[0];
  CHECK(first.id == "small-1-airline.task-3.trial-0");
  CHECK(first.task_id == "3");
  CHECK(first.configuration == "small-1-airline");
  CHECK(first.run == "trial-0");
  CHECK(reading.episodes[1].run == "trial-1");
  CHECK(first.domain == "airline");
  CHECK(first.task_text == "Hi, a boat please.");
  CHECK(first.visibility == VisibilityGrade::rebuilt);
  CHECK(first.delivery_grade == DeliveryGrade::not_recorded);
  REQUIRE(first.outcome);
  CHECK(first.outcome->resolved == true);
  CHECK(first.outcome->reward == 1.0);
  CHECK(reading.episodes[1].outcome->resolved == false);
  REQUIRE(first.steps.size() == 2);
  CHECK(first.steps[0].actions.at(0).name == "respond");
  CHECK(first.steps[0].actions.at(0).arguments == R"({"content":"Which one?"})");
  CHECK(first.steps[1].actions.at(0).name == "book");
  CHECK(first.steps[1].actions.at(0).arguments == R"({"boat": "blue"})");
  CHECK(first.steps[1].results.at(0).action == "c1");
  CHECK(first_text(first, first.steps[1].results[0].message) == "Error: full");
  CHECK(visible_texts(first, 2) == Texts{"Policy.", "Hi, a boat please.", "Which one?", "The blue one."});
  CHECK(first.messages[3].origin == Origin::user);
  // Neither the wish of the simulated user nor the solution is in any input or action.
  REQUIRE(first.reference);
  CHECK(first.reference->text == R"(actions: [{"name":"book"}])");
  for (const Message& message : first.messages) {
    CHECK(first.texts[message.versions[0].text].find("Secret") == std::string_view::npos);
  }
  REQUIRE(first.side_calls.size() == 1);
  CHECK(first.side_calls[0].cost_usd == 0.5);
}

TEST_CASE("names given by the user keep the trials apart", "[tau-bench]") {
  ReadOptions options;
  options.configuration = "mine";
  options.run = "r1";
  const AdapterReading reading = read_tau(tau_list({task_run(3, 0, 1.0), task_run(3, 1, 0.5)}).dump(), options);
  CHECK(reading.episodes.at(0).configuration == "mine");
  CHECK(reading.episodes.at(0).run == "r1-trial-0");
  CHECK(reading.episodes.at(1).run == "r1-trial-1");
  CHECK_FALSE(reading.episodes.at(1).outcome->resolved);
}

TEST_CASE("one object per file and one per line are read too", "[tau-bench]") {
  Json run = task_run(4, 0, 1.0);
  for (Json& message : run["traj"]) {
    if (!message.contains("tool_calls")) message["tool_calls"] = nullptr;
    if (!message.contains("tool_call_id")) message["tool_call_id"] = nullptr;
  }
  run.erase("trial");
  const AdapterReading alone = read_tau(run.dump(2));
  CHECK(alone.diagnostics.empty());
  CHECK(alone.only().run == "results");
  const AdapterReading lines = read_tau(run.dump() + "\n\n" + task_run(5, 2, 0.0).dump() + "\r\n{\"task_id\":\n");
  REQUIRE(lines.episodes.size() == 2);
  CHECK(lines.episodes[1].source.line == 3);
  CHECK(lines.count(Severity::error) == 1);
}

TEST_CASE("text strategies write their calls into the answer", "[tau-bench]") {
  Json run = task_run(6, 0, 0.0);
  run["traj"] = {
      {{"role", "system"}, {"content", "Policy."}},
      {{"role", "user"}, {"content", "Hi."}},
      {{"role", "assistant"}, {"content", "Thought: look\nAction:\n{\"name\": \"find\", \"arguments\": {\"id\": 7}}"}},
      {{"role", "user"}, {"content", "API output: none"}}};
  const AdapterReading reading = read_tau(tau_list({run}).dump());
  const Step& step = reading.only().steps.at(0);
  CHECK(step.actions.at(0).name == "find");
  CHECK(step.actions.at(0).arguments == R"({"id":7})");
  CHECK(step.results.size() == 1);
}

TEST_CASE("crashed and unusable runs do not stop the others", "[tau-bench]") {
  Json crashed = task_run(7, 0, 0.0);
  crashed["info"] = {{"error", "boom"}, {"traceback", "at"}};
  crashed["traj"] = Json::array();
  Json nameless = task_run(8, 0, 0.0);
  nameless.erase("task_id");
  Json odd = task_run(9, 0, 0.0);
  odd["traj"][5]["tool_call_id"] = "other";
  const AdapterReading reading = read_tau(tau_list({crashed, nameless, 7, odd}).dump());
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episodes[0].end_reason == "error");
  CHECK(reading.episodes[0].steps.empty());
  CHECK(reading.count(Fault::episode_set_aside) == 1);
  CHECK(reading.count(Fault::not_an_object) == 1);
  CHECK(reading.count(Fault::unmatched_result) == 1);
  CHECK(read_tau("[{\"task_id\":1,").count(Severity::error) == 1);
}

TEST_CASE("each run of a file is read again from its own bytes", "[tau-bench]") {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.write("small-1-retail.json", tau_list({task_run(1, 0, 1.0), task_run(1, 1, 0.0)}).dump(2));
  const AdapterReading reading = test::read_path(tau_bench_adapter(), path);
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episodes[1].source.line > 2);
  for (const Episode& episode : reading.episodes) test::check_read_again(tau_bench_adapter(), episode);
}

TEST_CASE("tau-bench is told by its content", "[tau-bench]") {
  const auto detected = [](const std::string& head) { return tau_bench_adapter().detect(head).value_or("no"); };
  CHECK(detected(tau_list({task_run(1, 0, 1.0)}).dump(2)) == "1");
  CHECK(detected(task_run(1, 0, 1.0).dump() + "\n{}") == "1");
  CHECK(detected(R"([{"task_id": 1, "reward": 1.0}])") == "no");
  CHECK(detected(R"({"task_id": 1, "messages": []})") == "no");
}

TEST_CASE("the real sample has the counts of its note", "[tau-bench]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path path =
      (test::shared_data() / ".." / "traces" / "tau-bench" / "gpt-4o-airline.slice-5-tasks.json").lexically_normal();
  const auto detected = detect_format(test::read_file(path).substr(0, kDetectionBytes));
  REQUIRE(detected);
  CHECK(detected->adapter == &tau_bench_adapter());
  const AdapterReading reading = test::read_path(tau_bench_adapter(), path);
  CHECK(reading.diagnostics.empty());
  REQUIRE(reading.episodes.size() == 20);
  std::size_t passed = 0;
  std::size_t calls = 0;
  std::size_t ends_with_tool = 0;
  std::map<std::string, std::size_t> by_run;
  std::set<std::string> tasks;
  for (const Episode& episode : reading.episodes) {
    passed += episode.outcome->resolved == true ? 1U : 0U;
    calls += episode.steps.size();
    ends_with_tool += episode.steps.back().results.empty() ? 0U : 1U;
    ++by_run[std::string(episode.run)];
    tasks.insert(std::string(episode.task_id));
    test::check_read_again(tau_bench_adapter(), episode);
  }
  CHECK(passed == 11);
  CHECK(calls == 191);
  CHECK(ends_with_tool == 8);
  CHECK(by_run == std::map<std::string, std::size_t>{{"trial-0", 5}, {"trial-1", 5}, {"trial-2", 5}, {"trial-3", 5}});
  CHECK(tasks == std::set<std::string>{"1", "13", "21", "37", "44"});
}

}  // namespace
}  // namespace memuse::ingest
