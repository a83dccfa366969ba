#include "ingest/swe_agent.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/swe_agent_conversation.h"
#include "ingest/swe_agent_elision.h"
#include "support/adapter_reading.h"

namespace memuse::ingest {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;
using test::AdapterReading;
using test::first_text;
using test::visible_texts;

const std::string kSwePath = "/study/evening/harbor__tide-17.traj";

AdapterReading read_swe(const Json& document, const ReadOptions& options = {}, const std::string& path = kSwePath) {
  return test::read_bytes(swe_agent_adapter(), document.dump(), path, options);
}

/// An array of these; braces around one value would mean different things to different compilers.
Json swe_list(const std::vector<Json>& items) {
  Json all = Json::array();
  for (const Json& item : items) all.push_back(item);
  return all;
}

Json swe_said(const std::string& role, const std::string& text, Json more = Json::object()) {
  Json message{{"role", role}, {"content", text}, {"agent", "main"}};
  message.update(more);
  return message;
}

Json observed(const std::string& text) {
  return swe_said("user", text, {{"message_type", "observation"}});
}

Json swe_answered(const std::string& text, const std::string& action) {
  return swe_said("assistant", text, {{"message_type", "action"}, {"thought", text}, {"action", action}});
}

Json swe_step(const std::string& response, const std::string& action, const std::string& observation,
              Json more = Json::object()) {
  Json value{{"action", action},    {"observation", observation}, {"response", response},
             {"thought", response}, {"execution_time", 0.5},      {"state", {{"working_dir", "/tide"}}}};
  value.update(more);
  return value;
}

Json settings(Json processors) {
  return {{"agent", {{"model", {{"name", "lab/small-1"}}}, {"history_processors", std::move(processors)}}},
          {"problem_statement", {{"id", "harbor__tide-17"}}}};
}

const Json kSweSystem = swe_said("system", "Use the shell.", {{"message_type", "system_prompt"}});
const std::string kTaskText = "ISSUE:\nThe tide clock is late.\n\nINSTRUCTIONS:\nMend it.";
const Json kTask = observed(kTaskText);

Json run(Json steps, Json history, Json config = settings(Json::array())) {
  return {{"environment", "main"},
          {"trajectory", std::move(steps)},
          {"history", std::move(history)},
          {"info",
           {{"exit_status", "submitted"},
            {"submission", "diff"},
            {"model_stats", {{"instance_cost", 0.25}, {"tokens_sent", 90}, {"tokens_received", 9}, {"api_calls", 2}}}}},
          {"replay_config", config.dump()}};
}

TEST_CASE("a run of SWE-agent becomes an episode", "[swe-agent]") {
  const AdapterReading reading =
      read_swe(run({swe_step("I look.", "ls", "clock.c\r\n"), swe_step("Done.", "submit", "diff")},
                   {kSweSystem, kTask, swe_answered("I look.", "ls"), observed("clock.c\r\nbash-$"),
                    swe_answered("Done.", "submit"), observed("diff\nbash-$")}));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "harbor__tide-17");
  CHECK(episode.configuration == "small-1");
  CHECK(episode.run == "evening");
  CHECK(episode.repo == "harbor/tide");
  CHECK(episode.task_text == "The tide clock is late.");
  CHECK(episode.end_reason == "submitted");
  CHECK(episode.source.format_version == "1.0");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK_FALSE(episode.outcome);
  REQUIRE(episode.totals);
  CHECK(episode.totals->calls == 2U);
  CHECK(episode.totals->usage.input == 90U);
  CHECK(episode.totals->cost_usd == 0.25);
  REQUIRE(episode.steps.size() == 2);
  REQUIRE(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].actions[0].arguments == R"({"command":"ls"})");
  REQUIRE(episode.steps[0].results.size() == 1);
  CHECK(first_text(episode, episode.steps[0].results[0].message) == "clock.c\r\nbash-$");
  CHECK(visible_texts(episode, 2) == Texts{"Use the shell.", kTaskText, "I look.", "clock.c\r\nbash-$"});
  CHECK(episode.messages[1].origin == Origin::task);
}

TEST_CASE("the names do not depend on how the path is given, and the user's win", "[swe-agent]") {
  Json document = run(Json::array(), {kSweSystem, kTask});
  document.erase("replay_config");
  const AdapterReading own = read_swe(document, {}, "/study/evening/harbor__tide-17/harbor__tide-17.traj");
  CHECK(own.only().run == "evening");
  CHECK(own.only().id == "harbor__tide-17");
  CHECK(own.only().configuration == "unnamed");
  CHECK(own.count(Fault::unnamed_configuration) == 1);
  ReadOptions options;
  options.configuration = "mine";
  options.run = "second";
  const AdapterReading named = read_swe(document, options);
  CHECK(named.only().configuration == "mine");
  CHECK(named.only().run == "second");
}

TEST_CASE("a query is the exact input, with what was asked again and what was elided", "[swe-agent]") {
  const Json retry = swe_said("user", "One action, please.", {{"message_type", "user"}});
  const Json elided = observed("Old environment output: (1 lines omitted)");
  const std::vector<Json> queries{
      {kSweSystem, kTask},
      {kSweSystem, kTask, swe_answered("I look.", "ls"), observed("clock.c")},
      {kSweSystem, kTask, swe_answered("I look.", "ls"), observed("clock.c"), swe_answered("No action", ""), retry},
      {kSweSystem, kTask, swe_answered("I look.", "ls"), elided, swe_answered("I read.", "cat"), observed("code")}};
  const AdapterReading reading =
      read_swe(run({swe_step("I look.", "ls", "clock.c", {{"query", queries[0]}}),
                    swe_step("No action", "", "", {{"query", queries[1]}}),
                    swe_step("I read.", "cat", "code", {{"query", queries[2]}}),
                    swe_step("Done.", "submit", "diff", {{"query", queries[3]}, {"extra_info", {{"x", 1}}}}),
                    swe_step("Exit due to cost limit", "", "Exited", {{"query", swe_list({Json::object()})}})},
                   {kSweSystem, kTask, swe_answered("I look.", "ls"), observed("clock.c"),
                    swe_answered("I read.", "cat"), observed("code"), swe_answered("Done.", "submit")}));
  const Episode& episode = reading.only();
  CHECK(episode.source.format_version == "1.1");
  CHECK(episode.visibility == VisibilityGrade::exact);
  REQUIRE(episode.steps.size() == 4);  // the tool's own last step is no call
  for (std::size_t at = 0; at < queries.size(); ++at) {
    Texts stated;
    for (const Json& message : queries[at]) stated.push_back(message["content"].get<std::string>());
    CHECK(visible_texts(episode, static_cast<std::uint32_t>(at + 1)) == stated);
  }
  CHECK(first_text(episode, episode.steps[1].results.at(0).message) == "One action, please.");
  CHECK(first_text(episode, episode.steps[2].results.at(0).message) == "code");
  CHECK(reading.count(Fault::stated_count) == 1);
}

TEST_CASE("messages of a 1.0 step are the input of the next call", "[swe-agent]") {
  const Json first{kSweSystem, kTask, swe_answered("I look.", "ls"), observed("clock.c")};
  const Json second{
      kSweSystem,      kTask, swe_answered("I look.", "ls"), observed("gone"), swe_answered("Done.", "submit"),
      observed("diff")};
  const AdapterReading reading = read_swe(run({swe_step("I look.", "ls", "clock.c", {{"messages", first}}),
                                               swe_step("Done.", "submit", "diff", {{"messages", second}})},
                                              {kSweSystem, kTask, swe_answered("I look.", "ls"), observed("clock.c"),
                                               swe_answered("Done.", "submit"), observed("diff")}));
  const Episode& episode = reading.only();
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(visible_texts(episode, 1) == Texts{"Use the shell.", kTaskText});
  CHECK(visible_texts(episode, 2) == Texts{"Use the shell.", kTaskText, "I look.", "clock.c"});
}

TEST_CASE("stated inputs are not elided a second time", "[swe-agent]") {
  const Json elided = observed("Old environment output: (2 lines omitted)");
  const Json look = swe_answered("I look.", "ls");
  const Json read = swe_answered("I read.", "cat");
  const Json config = settings(swe_list({{{"type", "last_n_observations"}, {"n", 1}}}));
  const AdapterReading reading = read_swe(
      run({swe_step("I look.", "ls", "a\nb", {{"messages", swe_list({kSweSystem, kTask, look, observed("a\nb")})}}),
           swe_step("I read.", "cat", "c",
                    {{"messages", swe_list({kSweSystem, kTask, look, elided, read, observed("c")})}}),
           swe_step("Done.", "submit", "diff")},
          {kSweSystem, kTask, look, observed("a\nb"), read, observed("c"), swe_answered("Done.", "submit")}, config));
  CHECK(visible_texts(reading.only(), 2) == Texts{"Use the shell.", kTaskText, "I look.", "a\nb"});
  CHECK(visible_texts(reading.only(), 3) ==
        Texts{"Use the shell.", kTaskText, "I look.", "Old environment output: (2 lines omitted)", "I read.", "c"});
}

TEST_CASE("without stated inputs old observations are elided as the settings say", "[swe-agent]") {
  Json steps = Json::array();
  Json history{kSweSystem, kTask};
  for (int at = 0; at < 4; ++at) {
    const std::string number = std::to_string(at);
    steps.push_back(swe_step("r" + number, "ls " + number, "o" + number));
    history.push_back(swe_answered("r" + number, "ls " + number));
    history.push_back(observed("o" + number + "\nbash-$"));
  }
  const std::string hidden = "Old environment output: (2 lines omitted)";
  SECTION("the last two are kept, and the task") {
    const AdapterReading reading =
        read_swe(run(steps, history, settings({{{"type", "last_n_observations"}, {"n", 2}}})));
    CHECK(reading.only().visibility == VisibilityGrade::rebuilt);
    CHECK(visible_texts(reading.only(), 3) ==
          Texts{"Use the shell.", kTaskText, "r0", "o0\nbash-$", "r1", "o1\nbash-$"});
    CHECK(visible_texts(reading.only(), 4) ==
          Texts{"Use the shell.", kTaskText, "r0", hidden, "r1", "o1\nbash-$", "r2", "o2\nbash-$"});
  }
  SECTION("tags keep and remove") {
    history[3]["tags"] = swe_list({"keep_output"});
    history[7]["tags"] = swe_list({"remove_output"});
    const AdapterReading reading =
        read_swe(run(steps, history, settings({{{"type", "last_n_observations"}, {"n", 2}}})));
    CHECK(visible_texts(reading.only(), 4) ==
          Texts{"Use the shell.", kTaskText, "r0", "o0\nbash-$", "r1", "o1\nbash-$", "r2", hidden});
  }
  SECTION("any other processor makes the input partial") {
    const AdapterReading reading = read_swe(run(steps, history, settings({{{"type", "closed_window"}}})));
    CHECK(reading.only().visibility == VisibilityGrade::partial);
    CHECK(reading.count(Fault::shortened_input) == 1);
  }
  SECTION("without settings nothing is known") {
    Json document = run(steps, history);
    document["replay_config"] = nullptr;
    CHECK(read_swe(document).only().visibility == VisibilityGrade::unknown);
  }
}

TEST_CASE("lines are counted as Python does", "[swe-agent]") {
  CHECK(python_line_count("") == 0);
  CHECK(python_line_count("a") == 1);
  CHECK(python_line_count("a\n") == 1);
  CHECK(python_line_count("a\r\nb\r\n\n") == 3);
  CHECK(python_line_count("a\rb\x0C"
                          "c\xE2\x80\xA8"
                          "d\xC2\x85") == 4);
}

TEST_CASE("a demonstration is no task and no call", "[swe-agent]") {
  const Json demo = swe_said("user", "ISSUE:\nanother\n\nINSTRUCTIONS:", {{"is_demo", true}});
  const Json demo_answer = swe_said("assistant", "as shown", {{"is_demo", true}, {"message_type", "demonstration"}});
  const AdapterReading reading =
      read_swe(run(swe_list({swe_step("I look.", "ls", "clock.c")}),
                   {kSweSystem, demo, demo_answer, kTask, swe_answered("I look.", "ls"), observed("clock.c")}));
  const Episode& episode = reading.only();
  CHECK(episode.task_text == "The tide clock is late.");
  CHECK(episode.steps.size() == 1);
  CHECK(episode.messages[1].origin == Origin::other);
  CHECK(visible_texts(episode, 1).size() == 4);
}

TEST_CASE("tool calls name the action and join their results", "[swe-agent]") {
  Json answer = swe_answered("I look.", "open \"clock.c\"");
  answer["tool_calls"] = {{{"id", "c1"}, {"function", {{"name", "open"}, {"arguments", R"({"path": "clock.c"})"}}}}};
  const Json result =
      swe_said("tool", "code\nbash-$", {{"message_type", "observation"}, {"tool_call_ids", swe_list({"c1"})}});
  SECTION("in the history") {
    const AdapterReading reading =
        read_swe(run({swe_step("I look.", "open \"clock.c\"", "code"), swe_step("Done.", "submit", "diff")},
                     {kSweSystem, kTask, answer, result}));
    const Episode& episode = reading.only();
    REQUIRE(episode.steps.size() == 2);
    CHECK(episode.steps[0].actions.at(0).name == "open");
    CHECK(episode.steps[0].actions.at(0).arguments == R"({"path": "clock.c"})");
    CHECK(episode.steps[0].results.at(0).action == "c1");
    // The submit step is missing from the history: it has its place at the end all the same.
    CHECK(episode.steps[1].actions.at(0).arguments == R"({"command":"submit"})");
    CHECK(first_text(episode, episode.steps[1].results.at(0).message) == "diff");
    CHECK(episode.visibility == VisibilityGrade::rebuilt);
  }
  SECTION("in a file that holds nothing else than a history") {
    const AdapterReading reading = read_swe({{"history", {kSweSystem, kTask, answer, result}}});
    CHECK(reading.only().steps.size() == 1);
    CHECK(reading.only().visibility == VisibilityGrade::unknown);
    CHECK_FALSE(reading.only().totals);
  }
}

TEST_CASE("state as text and agent primary are the first generation and zero counts say nothing", "[swe-agent]") {
  Json first = swe_step("I look.\n```\nls\n```", "ls\n", "clock.c");
  first["state"] = R"({"open_file": "n/a"})";
  Json document =
      run(swe_list({first}), {kSweSystem, kTask, swe_answered("I look.\n```\nls\n```", "ls\n"), observed("clock.c")});
  document.erase("replay_config");
  document["info"] = {{"exit_status", nullptr},
                      {"submission", nullptr},
                      {"model_stats", {{"total_cost", 0}, {"instance_cost", 0}, {"tokens_sent", 0}, {"api_calls", 0}}}};
  const AdapterReading reading = read_swe(document);
  CHECK(reading.only().source.format_version == "0.x");
  CHECK_FALSE(reading.only().totals);
  CHECK_FALSE(reading.only().end_reason);
  CHECK(reading.count(Fault::stated_count) == 0);
}

TEST_CASE("another agent's messages are another conversation", "[swe-agent]") {
  Json other = swe_answered("sub", "ls");
  other["agent"] = "helper";
  const AdapterReading reading =
      read_swe(run(swe_list({swe_step("I look.", "ls", "clock.c")}),
                   {kSweSystem, kTask, other, swe_answered("I look.", "ls"), observed("clock.c")}));
  CHECK(reading.only().steps.size() == 1);
  CHECK(visible_texts(reading.only(), 1).size() == 2);
}

TEST_CASE("what cannot be used is reported with its place", "[swe-agent]") {
  const auto faulty = [](const std::string& bytes) { return test::read_bytes(swe_agent_adapter(), bytes, kSwePath); };
  CHECK(faulty(R"({"history":[{"role":)").count(Fault::invalid_json) == 1);
  CHECK(faulty(R"({"environment":"main"})").count(Fault::episode_set_aside) == 1);
  const AdapterReading reading = faulty("{\"history\":[\n{\"role\":\"owl\",\"agent\":\"main\"},\n7]}");
  CHECK(reading.episodes.size() == 1);
  CHECK(reading.count(Fault::unknown_value) == 1);
  CHECK(reading.count(Fault::not_an_object) == 1);
  CHECK(reading.diagnostics.front().line == 1);
  CHECK(reading.only().visibility == VisibilityGrade::unknown);
  ReadOptions options;
  options.max_record_bytes = 10;
  CHECK(test::read_bytes(swe_agent_adapter(), "{\"history\":[]}", kSwePath, options).count(Fault::line_too_long) == 1);
}

TEST_CASE("SWE-agent is told by its content", "[swe-agent]") {
  const auto detected = [](const std::string& head) { return swe_agent_adapter().detect(head).value_or("no"); };
  CHECK(detected(run(swe_list({swe_step("r", "a", "o")}), swe_list({kSweSystem})).dump()) == "1.0");
  CHECK(detected(run(swe_list({swe_step("r", "a", "o", {{"query", Json::array()}})}), swe_list({kSweSystem})).dump()) ==
        "1.1");
  CHECK(detected(R"({"trajectory": [{"action": "ls", "observation": "x", "response": "long and cut o)") == "");
  CHECK(detected(R"({"attempts": [{"trajectory": [{"action": "ls", "observation": "x", "thought": "t")") == "");
  CHECK(detected(R"({"history": [{"role": "system", "content": "x", "agent": "main", "message_type": "sys)") == "1.0");
  CHECK(detected(R"({"history": [{"role": "system", "content": "x", "agent": "main"}]})") == "no");
  CHECK(detected(R"({"instance_id": "x", "history": [{"role": "a", "agent": "b", "message_type": "c"}]})") == "no");
  CHECK(detected(R"([{"role": "user", "content": "x"}])") == "no");
}

}  // namespace
}  // namespace memuse::ingest
