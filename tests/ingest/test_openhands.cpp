#include "ingest/openhands.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "ingest/openhands_conversation.h"
#include "ingest/openhands_text.h"
#include "support/adapter_reading.h"
#include "support/data.h"
#include "support/ingested.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

using OhJson = nlohmann::json;
using OhTexts = std::vector<std::string>;

std::string openhands_example(const char* name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples/harnesses/openhands" / name).string();
}

test::AdapterReading read_openhands(const std::string& bytes, const ReadOptions& options = {}) {
  return test::read_bytes(openhands_adapter(), bytes, "/study/night/output.jsonl", options);
}

OhJson example_line() {
  return OhJson::parse(test::read_file(openhands_example("output.jsonl")));
}

}  // namespace

TEST_CASE("a line of an OpenHands evaluation is an episode with what the model was sent", "[openhands]") {
  const auto reading = test::read_path(openhands_adapter(), openhands_example("output.jsonl"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "tidewater__almanac-12");
  CHECK(episode.repo == "tidewater/almanac");
  CHECK(episode.configuration == "small-1");
  CHECK(episode.run == "openhands");
  CHECK(episode.source.format_version == "output");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.end_reason == "finish");
  REQUIRE(episode.outcome);
  CHECK(episode.outcome->resolved == true);
  CHECK(episode.task_text == "The tide clock is one hour late in summer. Mend it with git.");
  REQUIRE(episode.steps.size() == 4);
  CHECK(episode.steps[0].actions.at(0).name == "execute_bash");
  CHECK(episode.steps[0].actions.at(0).arguments == R"({"command": "grep -n localtime clock.py"})");
  CHECK(episode.steps[1].usage.input == 470U);
  CHECK(episode.steps[1].usage.cached_input == 235U);
  CHECK(episode.steps[1].cost_usd == 0.001);
  CHECK(episode.steps[3].actions.at(0).name == "finish");
  const std::string recalled =
      "<REPOSITORY_INFO>\nrepository tidewater/almanac in directory /almanac\n</REPOSITORY_INFO>\n"
      "<REPOSITORY_INSTRUCTIONS>\nTimes are kept in UTC. Run `make check` before you finish.\n"
      "</REPOSITORY_INSTRUCTIONS>\n<RUNTIME_INFORMATION>\nToday's date is 2026-03-04 (UTC).\n</RUNTIME_INFORMATION>\n"
      "<EXTRA_INFO>\nThe following information has been included based on a keyword match for \"git\".\n"
      "It may or may not be relevant to the user's request.\n\nCommit with a short first line.\n</EXTRA_INFO>";
  const std::string task = "The tide clock is one hour late in summer. Mend it with git.";
  CHECK(test::visible_texts(episode, 1) == OhTexts{"You mend programs.", task, recalled});
  const std::string ran =
      "12: now = time.localtime()\n[Current working directory: /almanac]\n"
      "[Command finished with exit code 0]";
  CHECK(test::visible_texts(episode, 2) ==
        OhTexts{"You mend programs.", task, recalled, "I look for local times.", ran});
  // The condensation took the first call out; its summary stands before the second.
  CHECK(test::visible_texts(episode, 3) ==
        OhTexts{"You mend programs.", task, recalled, "clock.py read the local time in line 12.", "It should be UTC.",
                "\n[Current working directory: /almanac]\n[Command finished with exit code 0]"});
  test::check_read_again(openhands_adapter(), episode);
}

TEST_CASE("exported events of OpenHands lack the system prompt", "[openhands]") {
  const auto reading = test::read_path(openhands_adapter(), openhands_example("exported-events.json"));
  CHECK(reading.count(Fault::shortened_input) == 1);
  CHECK(reading.only().visibility == VisibilityGrade::partial);
  CHECK(reading.only().steps.size() == 4);
  CHECK(reading.only().end_reason == "finish");
  CHECK(reading.only().configuration == "small-1");
}

TEST_CASE("parallel actions of the OpenHands SDK are one step", "[openhands]") {
  const auto reading = test::read_path(openhands_adapter(), openhands_example("sdk-events.jsonl"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].actions.size() == 2);
  REQUIRE(episode.steps[0].results.size() == 2);
  CHECK(episode.steps[0].results[1].action == "c2");
  CHECK(episode.steps[0].response == "Two looks at once.");
  REQUIRE(episode.totals);
  CHECK(episode.totals->usage.input == 1700U);  // the last of the growing counts
  CHECK_FALSE(episode.totals->cost_usd);
  CHECK(test::visible_texts(episode, 2).size() == 6);
}

TEST_CASE("a conversation folder of the OpenHands SDK is read whole", "[openhands]") {
  const test::TemporaryFolder folder;
  folder.write("c/base_state.json", R"({"id": "talk-1", "agent": {"llm": {"model": "lab/other-2"}}})");
  std::istringstream lines(test::read_file(openhands_example("sdk-events.jsonl")));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    folder.write("c/events/event-0000" + std::to_string(number++) + "-x.json", line);
  }
  folder.write("c/events/event-00009-y.json", "{broken");
  const std::string path = folder / "c";
  REQUIRE(openhands_adapter().claims(path));
  CHECK_FALSE(openhands_adapter().claims(folder.path()));
  const auto reading = test::read_claimed(openhands_adapter(), path);
  const Episode& episode = reading.only();
  CHECK(episode.id == "talk-1");
  CHECK(episode.configuration == "other-2");
  CHECK(episode.steps.size() == 2);
  CHECK(episode.visibility == VisibilityGrade::partial);
  CHECK(reading.count(Severity::error) == 1);
  test::check_read_again(openhands_adapter(), episode);
}

TEST_CASE("knowledge that was shown before is not sent again", "[openhands]") {
  Arena arena;
  JsonParser parser;
  JsonFault fault;
  std::string bytes =
      R"({"recall_type":"knowledge","microagent_knowledge":[{"name":"a","trigger":"t","content":"c"}]})";
  const std::size_t size = bytes.size();
  bytes.resize(size + JsonParser::kPadding);
  const JsonValue* extras = parser.parse(std::string_view(bytes).substr(0, size), bytes.size(), arena, fault);
  REQUIRE(extras != nullptr);
  std::unordered_set<std::string> shown;
  CHECK(openhands_recall_text(*extras, shown).find("keyword match for \"t\"") != std::string::npos);
  CHECK(openhands_recall_text(*extras, shown).empty());
}

TEST_CASE("what OpenHands sends of a long observation lacks its middle", "[openhands]") {
  CHECK(openhands_cut("abcdef", 6) == "abcdef");
  CHECK(openhands_cut("abcdefg", 6) == "abc\n[... Observation truncated due to length ...]\nefg");
  CHECK(openhands_cut("äöüßäöü", 4) == "äö\n[... Observation truncated due to length ...]\nöü");
  CHECK(openhands_cut("äöü", 3) == "äöü");
  CHECK(openhands_cut("abc", std::nullopt) == "abc");
}

TEST_CASE("calls that no event tells of count as side calls", "[openhands]") {
  OhJson line = example_line();
  line["metrics"]["token_usages"].push_back({{"prompt_tokens", 90}, {"completion_tokens", 3}, {"response_id", "x"}});
  const auto reading = read_openhands(line.dump() + "\n");
  CHECK(reading.only().steps.size() == 4);
  REQUIRE(reading.only().side_calls.size() == 1);
  CHECK(reading.only().side_calls[0].usage.input == 90U);
  CHECK(reading.count(Fault::stated_count) == 1);
  CHECK_FALSE(reading.only().steps[0].cost_usd);  // as many costs as calls no more
  CHECK(reading.only().totals->cost_usd == 0.004);
}

TEST_CASE("a condenser that hides without a word lowers the grade", "[openhands]") {
  OhJson line = example_line();
  line["metadata"]["condenser_config"]["type"] = "observation_masking";
  CHECK(read_openhands(line.dump()).only().visibility == VisibilityGrade::partial);
}

TEST_CASE("each line of an evaluation stands for itself", "[openhands]") {
  OhJson second = example_line();
  second["instance_id"] = "tidewater__almanac-13";
  second["error"] = "Agent reached maximum iteration";
  second["test_result"].erase("report");
  OhJson failed = example_line();
  failed["history"] = nullptr;
  failed["error"] = "no container";
  const auto reading = read_openhands(example_line().dump() + "\n{broken}\n" + failed.dump() + "\n" + second.dump());
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episodes[1].id == "tidewater__almanac-13");
  CHECK(reading.episodes[1].end_reason == "Agent reached maximum iteration");
  CHECK_FALSE(reading.episodes[1].outcome);
  CHECK(reading.episodes[1].source.line == 4);
  CHECK(reading.count(Severity::error) == 1);
  CHECK(reading.count(Fault::episode_set_aside) == 1);
}

TEST_CASE("lines of the resolver have flat events", "[openhands]") {
  const OhJson line{
      {"issue", {{"owner", "tidewater"}, {"repo", "almanac"}, {"number", 7}, {"title", "Late"}}},
      {"issue_type", "issue"},
      {"instruction", "Mend it."},
      {"git_patch", "diff"},
      {"success", true},
      {"history", OhJson::array({{{"action", "message"}, {"content", "Mend it."}, {"wait_for_response", false}},
                                 {{"action", "run"}, {"command", "ls"}, {"thought", "I look."}},
                                 {{"observation", "run"}, {"content", "clock.py"}, {"extras", {{"exit_code", 0}}}},
                                 {{"action", "finish"}, {"thought", "Done."}, {"outputs", OhJson::object()}}})}};
  const std::string bytes = line.dump();
  CHECK(openhands_adapter().detect(bytes) == "resolver");
  const auto reading = read_openhands(bytes);
  const Episode& episode = reading.only();
  CHECK(episode.id == "tidewater/almanac#7");
  CHECK(episode.steps.size() == 2);
  CHECK(episode.steps[0].actions.at(0).name == "run");
  CHECK(episode.steps[0].results.size() == 1);
  CHECK_FALSE(episode.outcome);
  CHECK(episode.task_text == "Mend it.");
}

TEST_CASE("a condensation takes answers out with their results and replaces the summary before it", "[openhands]") {
  EpisodeRecorder recorder;
  DiagnosticLog log("x");
  OpenHandsConversation conversation(recorder, log);
  conversation.add_message("0", Role::user, Origin::task, "task");
  for (const std::string& number : {std::string("1"), std::string("3"), std::string("5")}) {
    conversation.answer(number, {"r" + number, "answer " + number, {}, {}, {}});
    conversation.add_action(number, {"c" + number, "run", "{}"});
    conversation.add_result("o" + number, "c" + number, {}, "result " + number, {});
    if (number == "3") {
      conversation.condense([](std::string_view id) { return id == "o1"; }, "first", 1);
    }
  }
  conversation.condense([](std::string_view id) { return id == "3"; }, "second", 9);
  conversation.answer("7", {"r7", "end", {}, {}, {}});
  conversation.finish();
  const Episode episode = recorder.take();
  REQUIRE(episode.steps.size() == 4);
  CHECK(test::visible_texts(episode, 3) == OhTexts{"task", "first", "answer 3", "result 3"});
  CHECK(test::visible_texts(episode, 4) == OhTexts{"task", "answer 5", "result 5", "second"});
}

TEST_CASE("condensations without end cost no more than the file", "[openhands]") {
  EpisodeRecorder recorder;
  DiagnosticLog log("x");
  OpenHandsConversation conversation(recorder, log);
  for (int number = 0; number < 2000; ++number) {
    conversation.add_message(std::to_string(number), Role::user, Origin::user, "text");
    conversation.condense([](std::string_view) { return false; }, "summary", 0);
  }
  conversation.finish();
  CHECK(recorder.episode().messages.size() < 600000);
  CHECK(recorder.episode().visibility == VisibilityGrade::partial);
  CHECK(log.take().size() == 1);
}

TEST_CASE("the samples of OpenHands are read with the counts of their note", "[openhands]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder = (test::shared_data() / ".." / "traces" / "openhands").lexically_normal();
  const auto runs = test::read_path(openhands_adapter(), folder / "multi_swe_bench.output.jsonl");
  REQUIRE(runs.episodes.size() == 3);
  const std::size_t calls[] = {23, 33, 49};
  const std::uint64_t input[] = {565158, 410169, 938015};
  for (std::size_t at = 0; at < 3; ++at) {
    const Episode& episode = runs.episodes[at];
    CAPTURE(at);
    CHECK(episode.steps.size() == calls[at]);
    CHECK(episode.side_calls.empty());
    CHECK(episode.visibility == VisibilityGrade::rebuilt);
    std::uint64_t sum = 0;
    for (const Step& step : episode.steps) sum += step.usage.input.value_or(0);
    CHECK(sum == input[at]);
    test::check_read_again(episode);
  }
  CHECK(runs.count(Severity::error) == 0);
  CHECK(runs.count(Fault::unmatched_result) == 0);
  const auto steps_of = [&](const char* file) {
    return test::read_path(openhands_adapter(), folder / file).only().steps.size();
  };
  CHECK(steps_of("trajs/basic.json") == 2);
  CHECK(steps_of("trajs/basic_gui_mode.json") == 5);
  CHECK(steps_of("trajs/wrong_initial_state.json") == 4);
  const auto sdk = test::read_path(openhands_adapter(), folder / "sdk-events/events.jsonl");
  CHECK(sdk.only().steps.size() == 2);
  CHECK(sdk.count(Fault::unmatched_result) == 1);  // its action is not in the file
  CHECK(sdk.only().visibility == VisibilityGrade::partial);
}

}  // namespace memuse::ingest
