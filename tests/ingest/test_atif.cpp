#include "ingest/atif.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/atif_steps.h"
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

const std::string kAtifPath = "/study/morning/trajectory.json";

AdapterReading read_atif(const Json& document, const ReadOptions& options = {}) {
  return test::read_bytes(atif_adapter(), document.dump(2), kAtifPath, options);
}

/// An array of these; braces around one value would mean different things to different compilers.
Json json_list(const std::vector<Json>& items) {
  Json all = Json::array();
  for (const Json& item : items) all.push_back(item);
  return all;
}

Json atif_step(const std::string& source, const std::string& text, Json more = Json::object()) {
  Json step{{"step_id", 1}, {"source", source}, {"message", text}};
  step.update(more);
  return step;
}

Json atif_call(const std::string& text, Json more = Json::object()) {
  Json step = atif_step(
      "agent", text,
      {{"metrics", {{"prompt_tokens", 100}, {"cached_tokens", 40}, {"completion_tokens", 7}, {"cost_usd", 0.5}}},
       {"timestamp", "2026-01-02T03:04:05Z"}});
  step.update(more);
  return step;
}

Json atif_results(Json all) {
  return {{"observation", {{"results", std::move(all)}}}};
}

Json atif_document(Json steps, Json more = Json::object()) {
  Json value{{"schema_version", "ATIF-v1.7"},
             {"session_id", "tide-17"},
             {"agent", {{"name", "pilot"}, {"version", "2"}, {"model_name", "lab/small-1"}}},
             {"steps", std::move(steps)},
             {"final_metrics", {{"total_prompt_tokens", 9999}}}};
  value.update(more);
  return value;
}

TEST_CASE("an ATIF trajectory becomes an episode", "[atif]") {
  Json call =
      atif_call("I look.", atif_results({{{"source_call_id", "b"}, {"content", "two"}},
                                         {{"source_call_id", "a"}, {"content", {{{"type", "text"}, {"text", "one"}}}}},
                                         {{"source_call_id", "c"}}}));
  call["tool_calls"] = {{{"tool_call_id", "a"}, {"function_name", "ls"}, {"arguments", {{"path", "/tide"}}}},
                        {{"tool_call_id", "b"}, {"function_name", "pwd"}, {"arguments", Json::object()}}};
  const AdapterReading reading = read_atif(
      atif_document({atif_step("system", "Rules."), atif_step("user", "Mend the clock."), call, atif_call("Done.")}));
  // The document states a total that its calls do not have.
  CHECK(reading.faults() == std::vector<Fault>{Fault::stated_count});
  const Episode& episode = reading.only();
  CHECK(episode.id == "tide-17");
  CHECK(episode.configuration == "small-1");
  CHECK(episode.run == "morning");
  CHECK(episode.source.format_version == "v1.7");
  CHECK(episode.task_text == "Mend the clock.");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK_FALSE(episode.totals);  // the file's sums are not sums of its steps
  REQUIRE(episode.steps.size() == 2);
  const Step& step = episode.steps[0];
  CHECK(step.actions.at(0).arguments == R"({"path":"/tide"})");
  REQUIRE(step.results.size() == 3);
  CHECK(step.results[0].action == "b");
  CHECK(first_text(episode, step.results[1].message) == "one");
  CHECK(step.usage.input == 100U);
  CHECK(step.usage.cached_input == 40U);
  CHECK(step.cost_usd == 0.5);
  CHECK(step.time == "2026-01-02T03:04:05Z");
  CHECK(visible_texts(episode, 2) == Texts{"Rules.", "Mend the clock.", "I look.", "two", "one", ""});
}

TEST_CASE("copied and scripted steps are no calls", "[atif]") {
  const AdapterReading reading =
      read_atif(atif_document({atif_step("user", "Task."), atif_step("agent", "Old.", {{"is_copied_context", true}}),
                               atif_step("agent", "Scripted.", {{"llm_call_count", 0}}), atif_call("Real.")}));
  REQUIRE(reading.only().steps.size() == 1);
  CHECK(visible_texts(reading.only(), 1) == Texts{"Task.", "Old.", "Scripted."});
  // A writer that counts nothing at all leaves every step of the agent a call.
  CHECK(read_atif(atif_document({atif_step("user", "Task."), atif_step("agent", "One."), atif_step("agent", "Two.")}))
            .only()
            .steps.size() == 2);
}

TEST_CASE("a compaction replaces what stands before it", "[atif]") {
  const Json sub = {{"subagent_trajectory_ref", {{{"session_id", "s"}, {"trajectory_path", "../../etc/passwd"}}}}};
  SECTION("marked") {
    const Json marked =
        atif_step("system", "Compacted.",
                  {{"extra", {{"context_management", {{"type", "compaction"}, {"boundary", "replace"}}}}},
                   {"observation", {{"results", {{{"content", "In short."}}}}}}});
    const AdapterReading reading =
        read_atif(atif_document({atif_step("user", "Task."), atif_call("One."), marked, atif_call("Two.")}));
    CHECK(visible_texts(reading.only(), 2) == Texts{"Compacted.", "In short."});
    CHECK(reading.only().visibility == VisibilityGrade::rebuilt);
  }
  SECTION("known by its sub-agents") {
    const AdapterReading reading =
        read_atif(atif_document({atif_step("user", "Task."), atif_call("One."),
                                 atif_step("system", "Handed over.", atif_results(json_list({sub}))),
                                 atif_step("user", "Go on."), atif_call("Two.")}));
    CHECK(visible_texts(reading.only(), 2) == Texts{"Handed over.", "Go on."});
    CHECK(reading.only().visibility == VisibilityGrade::partial);
    CHECK(reading.count(Fault::shortened_input) == 1);
  }
}

TEST_CASE("segments that lie side by side are one episode", "[atif]") {
  const test::TemporaryFolder folder;
  const Json copied{{"is_copied_context", true}};
  Json first = atif_document({atif_step("user", "Task."), atif_call("One.")});
  first["continued_trajectory_ref"] = "trajectory.cont-1.json";
  const Json second =
      atif_document({atif_step("user", "Task.", copied), atif_step("user", "So far.", copied), atif_call("Two.")});
  const std::string path = folder.write("run/a.trajectory.json", first.dump());
  const AdapterReading alone = test::read_path(atif_adapter(), path);
  CHECK(alone.only().steps.size() == 1);
  CHECK(alone.only().visibility == VisibilityGrade::partial);
  CHECK(alone.count(Fault::source_missing) == 1);
  const std::string later = folder.write("run/a.trajectory.cont-1.json", second.dump());
  const AdapterReading reading = test::read_path(atif_adapter(), path);
  const Episode& episode = reading.only();
  // The document states a total that its calls do not have.
  CHECK(reading.faults() == std::vector<Fault>{Fault::stated_count});
  REQUIRE(episode.steps.size() == 2);
  CHECK(visible_texts(episode, 2) == Texts{"Task.", "So far."});
  CHECK(episode.source.sha256 != alone.only().source.sha256);
  test::check_read_again(atif_adapter(), episode);
  const AdapterReading part = test::read_path(atif_adapter(), later);
  CHECK(part.episodes.empty());
  CHECK(part.count(Fault::side_log) == 1);
}

TEST_CASE("no path in the data is followed", "[atif]") {
  const test::TemporaryFolder folder;
  folder.write("secret.json", atif_document(json_list({atif_call("Secret.")})).dump());
  for (const char* reference : {"../secret.json", "/secret.json", "other.json", "b.json"}) {
    Json first = atif_document({atif_step("user", "Task."), atif_call("One.")});
    first["continued_trajectory_ref"] = reference;
    folder.write("run/b.json", atif_document(json_list({atif_call("Not this.")})).dump());
    const std::string path = folder.write("run/a.json", first.dump());
    CHECK(test::read_path(atif_adapter(), path).only().steps.size() == 1);
  }
}

TEST_CASE("embedded sub-agents cost, and are no steps", "[atif]") {
  const Json child = atif_document({atif_step("user", "Sub."), atif_call("Found.")});
  const AdapterReading embedded = read_atif(
      atif_document({atif_step("user", "Task."), atif_call("One.")}, {{"subagent_trajectories", json_list({child})}}));
  CHECK(embedded.only().steps.size() == 1);
  REQUIRE(embedded.only().side_calls.size() == 1);
  CHECK(embedded.only().side_calls[0].usage.output == 7U);
  const AdapterReading beside =
      read_atif({{"parent", atif_document({atif_step("user", "Task."), atif_call("One.")})}, {"z_child", child}});
  CHECK(beside.only().steps.size() == 1);
  CHECK(beside.only().side_calls.size() == 1);
}

TEST_CASE("actions may stand in the text", "[atif]") {
  EpisodeRecorder recorder;
  const auto keys = actions_in_text(R"(Plan: {"commands": [{"keystrokes": "ls\n"}, 7]})", recorder);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].arguments == R"({"keystrokes":"ls\n"})");
  const auto block =
      actions_in_text("Look.\n<function=bash><parameter=command>ls</parameter></function> <function=x>", recorder);
  REQUIRE(block.size() == 1);
  CHECK(block[0].name == "bash");
  CHECK(block[0].arguments == R"({"command":"ls"})");
  CHECK(actions_in_text("Nothing { here", recorder).empty());
}

TEST_CASE("what cannot be used is reported", "[atif]") {
  CHECK(test::read_bytes(atif_adapter(), R"({"schema_version": "ATIF-v1.7", )", kAtifPath).count(Severity::error) == 1);
  CHECK(read_atif({{"schema_version", "ATIF-v1.7"}}).count(Fault::episode_set_aside) == 1);
  const Json image{{"step_id", 1}, {"source", "user"}, {"message", {{{"type", "image"}, {"source", {{"path", "x"}}}}}}};
  const AdapterReading reading = read_atif(atif_document({image, atif_step("owl", "Hoo."), atif_call("One.")}));
  CHECK(reading.only().visibility == VisibilityGrade::partial);
  CHECK(reading.count(Fault::unknown_value) == 1);
  CHECK(reading.only().steps.size() == 1);
}

TEST_CASE("ATIF is told by its content", "[atif]") {
  const auto detected = [](const std::string& head) { return atif_adapter().detect(head).value_or("no"); };
  CHECK(detected(R"({"schema_version": "ATIF-v1.4", "steps": [{"message": "cut o)") == "v1.4");
  CHECK(detected(R"({"parent": {"schema_version": "ATIF-v1.6"}})") == "v1.6");
  CHECK(detected(R"({"schema_version": "2.0"})") == "no");
  CHECK(detected(R"({"note": "ATIF-v1.7"})") == "no");
}

TEST_CASE("every ATIF sample is read with the counts of its note", "[atif]") {
  MEMUSE_NEEDS_SHARED_DATA();
  struct Expected {
    std::size_t steps = 0;
    VisibilityGrade visibility = VisibilityGrade::rebuilt;
    std::size_t side_calls = 0;
    std::uint64_t input = 0;
  };
  const std::string terminus = "terminus_2_hello-world-context-summarization-linear-history.trajectory";
  const std::map<std::string, Expected> expected{
      {"harbor_terminus2_summarization.json", {7, VisibilityGrade::partial, 0, 6502}},
      {"harbor_terminus2_sub_answers.json", {1, VisibilityGrade::rebuilt, 0, 700}},
      {"harbor_terminus2_sub_questions.json", {1, VisibilityGrade::rebuilt, 0, 100}},
      {"harbor_terminus2_sub_summary.json", {1, VisibilityGrade::rebuilt, 0, 500}},
      {"v17_embedded_subagents.json", {1, VisibilityGrade::rebuilt, 1, 42}},
      {"multimodal_trajectory.json", {2, VisibilityGrade::partial, 0, 2600}},
      {"parallel_tools_mixed_results.json", {2, VisibilityGrade::rebuilt, 0, 1200}},
      {"openhands_hello-world.trajectory.json", {2, VisibilityGrade::rebuilt, 0, 220}},
      {terminus + ".json", {7, VisibilityGrade::rebuilt, 0, 2252 + 4250}},
      {terminus + ".cont-1.json", {}}};
  const std::filesystem::path samples = (test::shared_data() / ".." / "traces" / "atif").lexically_normal();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(samples)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    INFO(name);
    REQUIRE(expected.count(name) == 1);
    const Expected& wanted = expected.at(name);
    const auto detected = detect_format(test::read_file(entry.path()).substr(0, kDetectionBytes));
    REQUIRE(detected);
    CHECK(detected->adapter == &atif_adapter());
    ++files;
    const AdapterReading reading = test::read_path(atif_adapter(), entry.path());
    CHECK(reading.count(Severity::error) == 0);
    if (wanted.steps == 0) {
      CHECK(reading.episodes.empty());
      CHECK(reading.count(Fault::side_log) == 1);
      continue;
    }
    const Episode& episode = reading.only();
    CHECK(episode.steps.size() == wanted.steps);
    CHECK(episode.visibility == wanted.visibility);
    CHECK(episode.side_calls.size() == wanted.side_calls);
    std::uint64_t input = 0;
    for (const Step& step : episode.steps) input += step.usage.input.value_or(0);
    CHECK(input == wanted.input);
    test::check_read_again(atif_adapter(), episode);
  }
  CHECK(files == expected.size());
}

}  // namespace
}  // namespace memuse::ingest
