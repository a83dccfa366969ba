#include "ingest/stated_totals.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../support/temporary_folder.h"
#include "ingest/pipeline.h"
#include "support/data.h"

namespace memuse::ingest {
namespace {

using test::TemporaryFolder;

/// An episode with a step for each cost, and as many input tokens as given.
Episode with_steps(const std::vector<std::optional<double>>& costs, std::uint64_t tokens) {
  Episode episode;
  for (const auto& cost : costs) {
    Step step;
    step.cost_usd = cost;
    step.usage.input = tokens;
    episode.steps.push_back(step);
  }
  return episode;
}

std::vector<std::string> mismatches(const Episode& episode, const AgentTotals& stated) {
  DiagnosticLog log("f");
  reconcile_totals(episode, stated, {1, 0}, log);
  std::vector<std::string> details;
  for (const Diagnostic& diagnostic : log.take()) {
    CHECK(diagnostic.fault == Fault::stated_count);
    details.push_back(diagnostic.detail);
  }
  return details;
}

AgentTotals stated_input(std::uint64_t tokens) {
  AgentTotals stated;
  stated.usage.input = tokens;
  return stated;
}

AgentTotals stated_cost(double cost) {
  AgentTotals stated;
  stated.cost_usd = cost;
  return stated;
}

TEST_CASE("a stated total that the calls do not add up to is reported with both numbers", "[totals]") {
  const Episode episode = with_steps({0.1, 0.2}, 40);
  CHECK(mismatches(episode, stated_input(80)).empty());
  const auto found = mismatches(episode, stated_input(90));
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "input tokens: 90 stated for the episode, 80 in its 2 steps");
  CHECK(mismatches(episode, stated_cost(0.3)).empty());  // 0.1 + 0.2 is not 0.3 to the last bit
  CHECK(mismatches(episode, stated_cost(0.31)).size() == 1);
}

TEST_CASE("a quantity that some call does not state may be more, not less", "[totals]") {
  const Episode episode = with_steps({0.5, std::nullopt}, 1);
  CHECK(mismatches(episode, stated_cost(2.0)).empty());
  CHECK(mismatches(episode, stated_cost(0.25)).size() == 1);
}

TEST_CASE("a total may or may not hold the side calls", "[totals]") {
  Episode episode = with_steps({0.5, 0.5}, 10);
  SideCall side;
  side.cost_usd = 0.25;
  side.usage.input = 5;
  episode.side_calls.push_back(side);
  CHECK(mismatches(episode, stated_cost(1.0)).empty());
  CHECK(mismatches(episode, stated_cost(1.25)).empty());
  const auto found = mismatches(episode, stated_input(30));
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "input tokens: 30 stated for the episode, 20 in its 2 steps, 25 with its side calls");
}

// --- as the formats state them

std::vector<std::string> stated_counts(const std::string& name, const std::string& bytes, const std::string& format) {
  const TemporaryFolder folder;
  PipelineOptions options;
  options.jobs = 1;
  options.format = format;
  std::vector<std::string> details;
  std::uint64_t episodes = 0;
  read_inputs(
      find_inputs({folder.write(name, bytes)}).files, options, [&](Episode&&) { ++episodes; },
      [&](FileReport&& report) {
        for (const Diagnostic& one : report.diagnostics) {
          if (one.fault == Fault::stated_count) details.push_back(one.detail);
        }
      });
  CHECK(episodes == 1);
  return details;
}

std::string atif(const std::string& metrics) {
  return R"({"schema_version":"ATIF-v1.6","session_id":"s1","agent":{"name":"a","version":"1","model_name":"m"},"steps":[
    {"step_id":1,"source":"user","message":"Count the lamps."},
    {"step_id":2,"source":"agent","message":"Seven.","metrics":{"prompt_tokens":100,"completion_tokens":10,"cost_usd":0.01}},
    {"step_id":3,"source":"agent","message":"Done.","metrics":{"prompt_tokens":120,"completion_tokens":5,"cost_usd":0.02}}],
    "final_metrics":)" +
         metrics + "}";
}

TEST_CASE("ATIF: final_metrics are compared with the steps", "[totals]") {
  const auto read = [](const std::string& metrics) { return stated_counts("t.json", atif(metrics), "atif"); };
  CHECK(read(R"({"total_prompt_tokens":220,"total_completion_tokens":15,"total_cost_usd":0.03,"total_steps":3})")
            .empty());
  CHECK(read(R"({"total_prompt_tokens":320,"total_completion_tokens":15})") ==
        std::vector<std::string>{"input tokens: 320 stated for the episode, 220 in its 2 steps"});
  CHECK(read(R"({"total_cost_usd":0.5})").size() == 1);
}

std::string codex(std::uint64_t second_total) {
  const auto count = [](std::uint64_t input, std::uint64_t all, std::uint64_t last) {
    return R"({"timestamp":"2031-01-01T00:00:05Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":)" +
           std::to_string(input) + R"(,"cached_input_tokens":0,"output_tokens":10,"total_tokens":)" +
           std::to_string(all) + R"(},"last_token_usage":{"input_tokens":)" + std::to_string(last) +
           R"(,"cached_input_tokens":0,"output_tokens":5,"total_tokens":)" + std::to_string(last + 5) + "}}}}\n";
  };
  const auto say = [](const std::string& role, const std::string& text) {
    return R"({"timestamp":"2031-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":")" + role +
           R"(","content":[{"type":"input_text","text":")" + text + "\"}]}}\n";
  };
  return R"({"timestamp":"2031-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s1","timestamp":"2031-01-01T00:00:00Z","cwd":"/w","originator":"cli","cli_version":"0.50.0","instructions":"Be brief."}})"
         "\n" +
         say("user", "Count the boats.") + say("assistant", "I look.") + count(100, 105, 100) + count(100, 105, 100) +
         say("assistant", "Nine.") + count(second_total, second_total + 10, 120);
}

TEST_CASE("Codex: the last running total is compared with the calls, each counted once", "[totals]") {
  CHECK(stated_counts("rollout.jsonl", codex(220), "codex").empty());
  const auto found = stated_counts("rollout.jsonl", codex(300), "codex");
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "input tokens: 300 stated for the episode, 220 in its 2 steps");
}

TEST_CASE("a call log's sum of tokens is compared with its parts", "[totals]") {
  const auto log = [](int sum) {
    return R"({"model":"m","messages":[{"role":"user","content":"Hello."}],"response":{"choices":[{"message":{"role":"assistant","content":"Hi."}}],"usage":{"prompt_tokens":20,"completion_tokens":3}},"total_tokens":)" +
           std::to_string(sum) + "}\n";
  };
  CHECK(stated_counts("calls.jsonl", log(23), "chat-log").empty());
  CHECK(stated_counts("calls.jsonl", log(30), "chat-log") ==
        std::vector<std::string>{"tokens: 30 stated for the call, 23 in its parts"});
}

std::string mini_swe(double total) {
  return R"({"trajectory_format":"mini-swe-agent-1.1","instance_id":"x__y-1","info":{"exit_status":"Submitted","submission":"","model_stats":{"instance_cost":)" +
         std::to_string(total) +
         R"(,"api_calls":2},"config":{"agent_type":"minisweagent.agents.default.DefaultAgent","model":{"model_name":"m"}}},"messages":[
      {"role":"system","content":"You fix bugs."},{"role":"user","content":"Fix the tide table."},
      {"role":"assistant","content":"I look.","extra":{"cost":0.25,"actions":[],"response":{"model":"m","usage":{"prompt_tokens":10,"completion_tokens":2}}}},
      {"role":"user","content":"It is there."},
      {"role":"assistant","content":"Done.","extra":{"cost":0.5,"actions":[],"response":{"model":"m","usage":{"prompt_tokens":20,"completion_tokens":2}}}},
      {"role":"user","content":"Good."}]})";
}

TEST_CASE("mini-swe-agent: the cost of the run is compared with its calls", "[totals]") {
  CHECK(stated_counts("a.traj.json", mini_swe(0.75), "mini-swe-agent").empty());
  CHECK(stated_counts("a.traj.json", mini_swe(0.5), "mini-swe-agent").size() == 1);
}

std::string harness_example(const char* name) {
  return test::read_file(std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples/harnesses" / name);
}

TEST_CASE("SWE-agent: the number of calls is compared with the answers in the trajectory", "[totals]") {
  nlohmann::json run = nlohmann::json::parse(harness_example("swe-agent/tidewater__almanac-12.traj"));
  CHECK(stated_counts("a.traj", run.dump(), "swe-agent").empty());
  run["info"]["model_stats"]["api_calls"] = 7;
  const auto found = stated_counts("a.traj", run.dump(), "swe-agent");
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("`api_calls` is 7, the trajectory holds 3 answers") == 0);
}

TEST_CASE("OpenHands: the accumulated cost is compared with the costs of the calls", "[totals]") {
  const std::string lines = harness_example("openhands/output.jsonl");
  nlohmann::json run = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
  CHECK(stated_counts("output.jsonl", run.dump() + "\n", "openhands").empty());
  run["metrics"]["accumulated_cost"] = 0.5;
  const auto found = stated_counts("output.jsonl", run.dump() + "\n", "openhands");
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("0.5") != std::string::npos);
}

}  // namespace
}  // namespace memuse::ingest
