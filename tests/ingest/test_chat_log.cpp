#include "ingest/chat_log.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/adapter_reading.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

using CallJson = nlohmann::json;
using CallTexts = std::vector<std::string>;

std::string chat_example(const char* name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples/harnesses/chat-log" / name).string();
}

test::AdapterReading read_calls(const std::string& bytes) {
  return test::read_bytes(chat_log_adapter(), bytes, "/study/noon/calls.jsonl");
}

std::vector<CallJson> example_calls() {
  std::vector<CallJson> calls;
  std::istringstream lines(test::read_file(chat_example("calls.jsonl")));
  for (std::string line; std::getline(lines, line);) calls.push_back(CallJson::parse(line));
  return calls;
}

std::string as_lines(const std::vector<CallJson>& calls) {
  std::string all;
  for (const CallJson& call : calls) all += call.dump() + "\n";
  return all;
}

CallJson said_by(const std::string& role, const std::string& text) {
  return {{"role", role}, {"content", text}};
}

CallJson plain_call(const CallJson& messages, const std::string& answer, double time, const char* conversation = "") {
  CallJson call{{"messages", messages},
                {"tools", CallJson::array({{{"type", "function"}}})},
                {"response", {{"choices", CallJson::array({{{"message", said_by("assistant", answer)}}})}}},
                {"timestamp", time}};
  if (*conversation != '\0') call["trace_id"] = conversation;
  return call;
}

CallJson messages_of(const std::vector<CallJson>& messages) {
  CallJson all = CallJson::array();
  for (const CallJson& message : messages) all.push_back(message);
  return all;
}

}  // namespace

TEST_CASE("calls of which each begins with the one before are one episode", "[chat-log]") {
  const auto reading = test::read_path(chat_log_adapter(), chat_example("calls.jsonl"));
  const Episode& episode = reading.only();
  CHECK(episode.id == "calls");
  CHECK(episode.configuration == "small-1");
  CHECK(episode.visibility == VisibilityGrade::exact);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.task_text == "The tide clock is one hour late in summer. Mend it.");
  REQUIRE(episode.steps.size() == 3);
  CHECK(episode.steps[0].actions.at(0).name == "bash");
  REQUIRE(episode.steps[0].results.size() == 1);
  CHECK(episode.steps[0].results[0].action == "c1");
  CHECK(episode.steps[1].usage.input == 350U);
  CHECK(episode.steps[1].usage.cached_input == 300U);
  CHECK(episode.steps[1].cost_usd == 0.002);
  CHECK(episode.steps[0].time == "2026-03-05T08:40:01.500Z");
  // The title is no step of the agent.
  REQUIRE(episode.side_calls.size() == 1);
  CHECK(episode.side_calls[0].usage.input == 60U);
  CHECK(test::visible_texts(episode, 3) ==
        CallTexts{"You mend programs.", "The tide clock is one hour late in summer. Mend it.",
                  "I look for local times.", "12: now = time.localtime()", "It should be UTC.", ""});
  test::check_read_again(chat_log_adapter(), episode);
}

TEST_CASE("pairs of Anthropic's interface have the system prompt outside and results in user messages", "[chat-log]") {
  const auto reading = test::read_path(chat_log_adapter(), chat_example("pairs.jsonl"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "harbour-7");
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].results.size() == 1);
  CHECK(episode.steps[1].usage.input == 270U);  // fresh and cached tokens are counted apart there
  CHECK(episode.steps[1].usage.cached_input == 230U);
  CHECK(test::visible_texts(episode, 2) ==
        CallTexts{"You mend programs.", "The tide clock is one hour late.", "I look.", "now = time.localtime()"});
}

TEST_CASE("the order of the lines is no matter", "[chat-log]") {
  std::vector<CallJson> calls = example_calls();
  const auto forward = read_calls(as_lines(calls));
  std::reverse(calls.begin(), calls.end());
  const auto backward = read_calls(as_lines(calls));
  CHECK(test::first_difference(forward.only(), backward.only()).empty());
}

TEST_CASE("a request that is sent again counts once as a step", "[chat-log]") {
  std::vector<CallJson> calls = example_calls();
  CallJson again = calls[2];
  again["timestamp"] = 1772700005.0;
  calls.push_back(again);
  const auto reading = read_calls(as_lines(calls));
  CHECK(reading.only().steps.size() == 3);
  CHECK(reading.only().side_calls.size() == 2);
}

TEST_CASE("conversations side by side are told apart", "[chat-log]") {
  const CallJson one = said_by("user", "One.");
  const CallJson two = said_by("user", "Two.");
  const CallJson a = said_by("assistant", "A");
  const test::TemporaryFolder folder;
  const std::string path = folder.write(
      "calls.jsonl",
      as_lines({plain_call(messages_of({one}), "A", 1), plain_call(messages_of({two}), "A", 2),
                plain_call(messages_of({one, a, one}), "B", 3), plain_call(messages_of({two, a, two}), "C", 4)}));
  const auto reading = test::read_path(chat_log_adapter(), path);
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episodes[0].steps.size() == 2);
  CHECK(reading.episodes[1].steps[1].response == "C");
  CHECK(reading.episodes[0].id != reading.episodes[1].id);
  for (const Episode& episode : reading.episodes) test::check_read_again(chat_log_adapter(), episode);
}

TEST_CASE("with an id a conversation goes on when something was dropped from its input", "[chat-log]") {
  const CallJson task = said_by("user", "Task.");
  const auto reading = read_calls(
      as_lines({plain_call(messages_of({task}), "A", 1, "x"),
                plain_call(messages_of({task, said_by("assistant", "A"), said_by("user", "More.")}), "B", 2, "x"),
                plain_call(messages_of({said_by("user", "In short."), said_by("user", "More.")}), "C", 3, "x")}));
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 3);
  CHECK(test::visible_texts(episode, 3) == CallTexts{"In short.", "More."});
  CHECK(episode.visibility == VisibilityGrade::exact);
}

TEST_CASE("a folder with one call per file is one log", "[chat-log]") {
  const test::TemporaryFolder folder;
  int number = 0;
  for (const CallJson& call : example_calls()) {
    folder.write("log/call-" + std::to_string(number++) + ".json", call.dump());
  }
  const std::string path = folder / "log";
  REQUIRE(chat_log_adapter().claims(path) == "call");
  const auto reading = test::read_claimed(chat_log_adapter(), path);
  CHECK(reading.only().steps.size() == 3);
  CHECK(reading.only().id == "log");
  test::check_read_again(chat_log_adapter(), reading.only());
  folder.write("log/notes.txt", "x");
  CHECK_FALSE(chat_log_adapter().claims(path));
}

TEST_CASE("an image or a message that cannot be read lowers the grade", "[chat-log]") {
  CallJson image = said_by("user", "x");
  image["content"] = CallJson::array({{{"type", "image_url"}, {"image_url", {{"url", "data:"}}}}});
  CHECK(read_calls(as_lines({plain_call(messages_of({image}), "A", 1)})).only().visibility == VisibilityGrade::partial);
}

TEST_CASE("a call without an answer is no episode", "[chat-log]") {
  CallJson call = plain_call(messages_of({said_by("user", "Task.")}), "A", 1);
  call["response"] = nullptr;
  const auto reading = read_calls(as_lines({call}));
  CHECK(reading.episodes.empty());
  CHECK(reading.count(Fault::episode_set_aside) == 1);
}

TEST_CASE("items of the Responses interface join to messages", "[chat-log]") {
  const CallJson item{{"type", "function_call"}, {"call_id", "c1"}, {"name", "look"}, {"arguments", "{\"at\": 1}"}};
  const CallJson output{{"type", "function_call_output"}, {"call_id", "c1"}, {"output", "seen"}};
  const CallJson said{{"type", "message"},
                      {"role", "assistant"},
                      {"content", CallJson::array({{{"type", "output_text"}, {"text", "Done."}}})}};
  const auto pair = [](const CallJson& input, const CallJson& answer, int second) {
    return CallJson{{"request", {{"instructions", "Rules."}, {"input", input}, {"model", "m"}}},
                    {"response", {{"output", answer}, {"usage", {{"input_tokens", 5}, {"output_tokens", 2}}}}},
                    {"startTime", "2026-01-01T00:00:0" + std::to_string(second) + "Z"}};
  };
  const CallJson task = said_by("user", "Task.");
  const auto reading = read_calls(as_lines({pair(messages_of({task}), messages_of({item}), 1),
                                            pair(messages_of({task, item, output}), messages_of({said}), 2)}));
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].actions.at(0).name == "look");
  CHECK(episode.steps[0].results.at(0).action == "c1");
  CHECK(test::visible_texts(episode, 2) == CallTexts{"Rules.", "Task.", "", "seen"});
  CHECK(episode.steps[1].response == "Done.");
}

TEST_CASE("what an instrumentation tells of a call is graded lower than the request itself", "[chat-log]") {
  const auto generation = [](const CallJson& input, const CallJson& output, int second) {
    return CallJson{{"id", std::to_string(second)},
                    {"type", "GENERATION"},
                    {"startTime", "2026-01-01T00:00:0" + std::to_string(second) + "Z"},
                    {"input", input.dump()},
                    {"output", output.dump()},
                    {"usageDetails", {{"input", 4}, {"input_cache_read", 3}, {"output", 2}, {"total", 9}}},
                    {"model", "m"}};
  };
  const auto part = [](const char* role, CallJson inner) {
    return CallJson{{"role", role}, {"parts", messages_of({std::move(inner)})}};
  };
  const CallJson task = part("user", {{"type", "text"}, {"content", "Task."}});
  const CallJson asked =
      part("assistant", {{"type", "tool_call"}, {"id", "c1"}, {"name", "look"}, {"arguments", "{}"}});
  const CallJson seen = part("tool", {{"type", "tool_call_response"}, {"id", "c1"}, {"response", "seen"}});
  const CallJson done = part("assistant", {{"type", "text"}, {"content", "Done."}});
  const auto exported = [&](const CallJson& second_input) {
    return CallJson{{"trace", {{"id", "t1"}, {"projectId", "p"}}},
                    {"observations", messages_of({generation(second_input, messages_of({done}), 2),
                                                  generation(messages_of({task}), messages_of({asked}), 1),
                                                  {{"type", "SPAN"}}})}}
        .dump(1);
  };
  const auto whole = read_calls(exported(messages_of({task, asked, seen})));
  const Episode& episode = whole.only();
  CHECK(episode.id == "t1");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].actions.at(0).name == "look");
  CHECK(episode.steps[0].results.at(0).action == "c1");
  CHECK(episode.steps[0].usage.input == 7U);  // counted apart from the cached part there
  CHECK(test::visible_texts(episode, 2) == CallTexts{"Task.", "", "seen"});
  CHECK(read_calls(exported(messages_of({seen}))).only().visibility == VisibilityGrade::partial);
}

TEST_CASE("logs of calls are told by their fields", "[chat-log]") {
  const auto detected = [](const std::string& head) { return chat_log_adapter().detect(head).value_or("no"); };
  CHECK(detected(test::read_file(chat_example("calls.jsonl"))) == "call");
  CHECK(detected(test::read_file(chat_example("pairs.jsonl"))) == "call");
  CHECK(detected(R"({"messages": [{"role": "user", "content": "x"}], "info": {}})") == "no");
  CHECK(detected(R"({"messages": [{"role": "user", "content": "x"}]})") == "no");
  CHECK(detected(R"({"trace": {"id": "a"}, "observations": []})") == "langfuse");
  CHECK(detected(R"({"post": [{"id": "a", "run_type": "llm"}]})") == "langsmith");
}

TEST_CASE("the samples of logs of calls are read with the counts of their note", "[chat-log]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder = (test::shared_data() / ".." / "traces" / "chat-log").lexically_normal();
  const std::filesystem::path log = folder / "openhands-llm-logs/fncall";
  REQUIRE(chat_log_adapter().claims(log));
  const auto reading = test::read_claimed(chat_log_adapter(), log.string());
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 6);
  const std::uint64_t tokens[] = {4812, 5002, 6123, 6277, 6485, 6729};
  const double costs[] = {0.016626, 0.016431, 0.020169, 0.020796, 0.02115, 0.023172};
  for (std::uint32_t step = 0; step < 6; ++step) {
    CAPTURE(step);
    CHECK(episode.steps[step].usage.input == tokens[step]);
    CHECK(episode.steps[step].cost_usd.value_or(0) == Approx(costs[step]).epsilon(1e-12));
    CHECK(test::visible_texts(episode, step + 1).size() == 2 * (step + 1));
  }
  CHECK(episode.visibility == VisibilityGrade::exact);
  const auto read_sample = [&](const char* file) { return test::read_path(chat_log_adapter(), folder / file); };
  const auto js = read_sample("langsmith/wrap_openai_js.json");
  CHECK(js.only().steps.at(0).usage.input == 9U);
  CHECK(js.only().steps.at(0).usage.output == 9U);
  const auto reasoning = read_sample("langsmith/wrap_openai_reasoning.json");
  CHECK(reasoning.only().steps.at(0).usage.output == 2497U);
  const auto graph = read_sample("langfuse/langgraph-python-2025-08-22.trace.json");
  REQUIRE(graph.only().steps.size() == 2);
  CHECK(graph.only().steps[0].usage.input == 60U);
  CHECK(graph.only().steps[0].actions.size() == 1);
  CHECK(graph.only().steps[0].results.size() == 1);
  CHECK(graph.only().visibility == VisibilityGrade::rebuilt);
  // Its inputs were not captured.
  const auto claude = read_sample("langfuse/claude-agent-2025-12-22.trace.json");
  CHECK(claude.only().steps.size() == 4);
  CHECK(claude.only().visibility == VisibilityGrade::partial);
}

}  // namespace memuse::ingest
