#include "ingest/otel.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/adapter_reading.h"
#include "support/data.h"

namespace memuse::ingest {
namespace {

using SpanJson = nlohmann::json;
using SpanTexts = std::vector<std::string>;

std::string otel_example(const char* name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples/harnesses/otel" / name).string();
}

test::AdapterReading read_spans(const std::string& bytes) {
  return test::read_bytes(otel_adapter(), bytes, "/study/noon/spans.json");
}

SpanJson span_of(const std::string& id, const std::string& parent, int second, const SpanJson& attributes) {
  return {{"name", "s" + id},
          {"context", {{"trace_id", "t1"}, {"span_id", id}}},
          {"parent_id", parent.empty() ? SpanJson() : SpanJson(parent)},
          {"start_time", "2026-02-01T10:00:" + std::string(second < 10 ? "0" : "") + std::to_string(second) + "Z"},
          {"attributes", attributes}};
}

SpanJson said(const std::string& role, const std::string& text) {
  return {{"role", role}, {"parts", SpanJson::array({{{"type", "text"}, {"content", text}}})}};
}

SpanJson model_call(const SpanJson& input, const SpanJson& output) {
  return {{"gen_ai.operation.name", "chat"},       {"gen_ai.request.model", "m"},
          {"gen_ai.usage.input_tokens", "7"},      {"gen_ai.usage.output_tokens", 2},
          {"gen_ai.input.messages", input.dump()}, {"gen_ai.output.messages", output.dump()}};
}

SpanJson simple_call() {
  return model_call(SpanJson::array({said("user", "Task.")}), SpanJson::array({said("assistant", "Done.")}));
}

}  // namespace

TEST_CASE("OTLP JSON gives calls, tools and tokens of an agent", "[otel]") {
  const auto reading = test::read_path(otel_adapter(), otel_example("agent.otlp.json"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "desk-7");
  CHECK(episode.task_text == "Which shelf holds the atlas with the green spine?");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK_FALSE(episode.outcome);
  REQUIRE(episode.tags.size() == 1);
  CHECK(episode.tags[0].value == "librarian");
  REQUIRE(episode.steps.size() == 2);  // the agent's own span sums them, and is none
  CHECK(episode.steps[0].usage.input == 51U);
  CHECK(episode.steps[0].usage.output == 19U);
  CHECK(episode.steps[0].reasoning == "The catalogue knows.");
  CHECK(episode.steps[0].time == "2025-12-01T09:06:40.010Z");
  REQUIRE(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].actions[0].name == "find_book");
  CHECK(SpanJson::parse(episode.steps[0].actions[0].arguments) == SpanJson({{"title", "atlas"}, {"spine", "green"}}));
  REQUIRE(episode.steps[0].results.size() == 1);
  CHECK(episode.steps[0].results[0].action == "call_a1");
  CHECK(episode.steps[1].usage.cached_input == 40U);
  CHECK(episode.steps[1].response == "The atlas stands on shelf 14, in the second row.");
  CHECK(test::visible_texts(episode, 2) == SpanTexts{"You look after a small library's shelves.",
                                                     "Which shelf holds the atlas with the green spine?", "",
                                                     "shelf 14, second row"});
  REQUIRE(episode.side_calls.size() == 1);  // of the judge
  CHECK(episode.side_calls[0].purpose == "scorer");
  CHECK(episode.side_calls[0].usage.input == 60U);
  test::check_read_again(otel_adapter(), episode);
}

TEST_CASE("OpenInference spans are read line by line, flat or nested", "[otel]") {
  const auto reading = test::read_path(otel_adapter(), otel_example("spans.jsonl"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "walk");
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].usage.input == 30U);
  CHECK(episode.steps[0].actions.at(0).name == "measure");
  CHECK(episode.steps[0].results.at(0).action == "w1");
  CHECK(test::visible_texts(episode, 2) == SpanTexts{"You plan walks.", "How far is the mill?", "", "3 km"});
  const SpanJson message{{"message", {{"role", "user"}, {"content", "Task."}}}};
  const SpanJson answer{{"message", {{"role", "assistant"}, {"content", "Done."}}}};
  const SpanJson nested{{"openinference", {{"span", {{"kind", "LLM"}}}}},
                        {"llm",
                         {{"model_name", "m"},
                          {"input_messages", SpanJson::array({message})},
                          {"output_messages", SpanJson::array({answer})},
                          {"token_count", {{"prompt", 5}, {"completion", 1}}}}}};
  const auto other = read_spans(SpanJson::array({span_of("a", "", 1, nested)}).dump());
  CHECK(other.only().task_text == "Task.");
  CHECK(other.only().steps.at(0).response == "Done.");
  CHECK(other.only().steps.at(0).usage.input == 5U);
}

TEST_CASE("indexed keys are sorted by number, whatever is missing between them", "[otel]") {
  SpanJson attributes{{"llm.request.type", "chat"}, {"gen_ai.completion.0.content", "Done."}};
  for (const int index : {10, 2, 0, 9}) {
    const std::string key = "gen_ai.prompt." + std::to_string(index);
    attributes[key + ".role"] = index == 0 ? "system" : "user";
    attributes[key + ".content"] = "at " + std::to_string(index);
  }
  const auto reading = read_spans(SpanJson::array({span_of("a", "", 1, attributes)}).dump());
  CHECK(test::visible_texts(reading.only(), 1) == SpanTexts{"at 0", "at 2", "at 9", "at 10"});
  CHECK(reading.only().steps.at(0).response == "Done.");
}

TEST_CASE("messages told as events of a span are read", "[otel]") {
  SpanJson span = span_of("a", "", 1, {{"gen_ai.operation.name", "chat"}, {"gen_ai.request.model", "m"}});
  const auto event = [](const char* name, const SpanJson& attributes) {
    return SpanJson{{"name", name}, {"attributes", attributes}};
  };
  const SpanJson choice{{"role", "assistant"}, {"content", "Done."}};
  span["events"] = SpanJson::array({event("gen_ai.system.message", {{"content", "Rules."}}),
                                    event("gen_ai.user.message", {{"content", "Task."}}),
                                    event("gen_ai.choice", {{"index", 0}, {"message", choice.dump()}})});
  const auto reading = read_spans(SpanJson::array({span}).dump());
  CHECK(test::visible_texts(reading.only(), 1) == SpanTexts{"Rules.", "Task."});
  CHECK(reading.only().steps.at(0).response == "Done.");
}

TEST_CASE("the AI SDK's outer span is no call, and its tool's answer is a result", "[otel]") {
  const SpanJson prompt = SpanJson::array({{{"role", "user"}, {"content", "Task."}}});
  const SpanJson tool = SpanJson::array({{{"toolCallId", "c1"}, {"toolName", "look"}, {"input", "{\"at\":1}"}}});
  const SpanJson spans = SpanJson::array(
      {span_of("a", "", 1, {{"ai.operationId", "ai.generateText"}, {"ai.usage.promptTokens", 20}}),
       span_of("b", "a", 1,
               {{"ai.operationId", "ai.generateText.doGenerate"},
                {"ai.model.id", "m"},
                {"ai.usage.promptTokens", "20"},
                {"ai.usage.completionTokens", 3},
                {"ai.prompt.messages", prompt.dump()},
                {"ai.response.toolCalls", tool.dump()}}),
       span_of("c", "a", 2,
               {{"ai.operationId", "ai.toolCall"}, {"ai.toolCall.id", "c1"}, {"ai.toolCall.result", "\"seen\""}})});
  const auto reading = read_spans(spans.dump());
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 1);
  CHECK(episode.steps[0].usage.input == 20U);
  CHECK(episode.steps[0].actions.at(0).name == "look");
  CHECK(episode.steps[0].actions.at(0).arguments == "{\"at\":1}");
  REQUIRE(episode.steps[0].results.size() == 1);
  CHECK(test::first_text(episode, episode.steps[0].results[0].message) == "\"seen\"");
}

TEST_CASE("calls whose content was not captured are calls of which nothing else is known", "[otel]") {
  const SpanJson attributes{{"gen_ai.operation.name", "chat"},
                            {"gen_ai.request.model", "m"},
                            {"gen_ai.usage.input_tokens", 9},
                            {"gen_ai.usage.output_tokens", 1}};
  const auto reading =
      read_spans(SpanJson::array({span_of("a", "", 1, attributes), span_of("b", "", 2, attributes)}).dump());
  REQUIRE(reading.only().steps.size() == 2);
  CHECK(reading.only().visibility == VisibilityGrade::unknown);
  CHECK(reading.only().steps[1].usage.input == 9U);
}

TEST_CASE("content that was cut is partial, and never taken for whole", "[otel]") {
  SpanJson attributes = simple_call();
  attributes["gen_ai.input.messages"] = R"([{"role": "user", "parts": [{"type": "text", "cont)";
  SpanJson second = simple_call();
  const SpanJson image =
      SpanJson::array({{{"type", "blob"}, {"content", "AAAA"}}, {{"type", "text"}, {"content", "See"}}});
  second["gen_ai.input.messages"] = SpanJson::array({{{"role", "user"}, {"parts", image}}}).dump();
  CHECK(read_spans(SpanJson::array({span_of("a", "", 1, attributes)}).dump()).only().visibility ==
        VisibilityGrade::unknown);
  CHECK(read_spans(SpanJson::array({span_of("a", "", 1, second)}).dump()).only().visibility ==
        VisibilityGrade::partial);
}

TEST_CASE("spans that are repeated, in a circle or without ids are counted once", "[otel]") {
  const SpanJson once = span_of("a", "", 1, simple_call());
  const auto repeated = read_spans(SpanJson::array({once, once}).dump());
  CHECK(repeated.only().steps.size() == 1);
  CHECK(repeated.count(Fault::repeated_record) == 1);
  const auto circle = read_spans(
      SpanJson::array({span_of("a", "b", 1, simple_call()), span_of("b", "a", 2, {{"gen_ai.agent.name", "x"}})})
          .dump());
  CHECK(circle.only().steps.size() == 1);
  CHECK(circle.count(Fault::inconsistent_record) == 1);
  const auto self = read_spans(SpanJson::array({span_of("a", "a", 1, simple_call())}).dump());
  CHECK(self.only().steps.size() == 1);
  SpanJson without = span_of("", "", 1, simple_call());
  without["context"] = SpanJson::object();
  CHECK(read_spans(SpanJson::array({without}).dump()).only().id == "spans");
  const auto orphan = read_spans(SpanJson::array({span_of("a", "gone", 1, simple_call())}).dump());
  CHECK(orphan.only().id == "t1");
}

TEST_CASE("calls of a model that a tool makes are not the call that asked for the tool", "[otel]") {
  const auto reading = read_spans(SpanJson::array({span_of("a", "", 1, simple_call()),
                                                   span_of("b", "a", 2, {{"gen_ai.operation.name", "execute_tool"}}),
                                                   span_of("c", "b", 3, simple_call())})
                                      .dump());
  std::size_t calls = 0;
  for (const Episode& episode : reading.episodes) calls += episode.steps.size() + episode.side_calls.size();
  CHECK(calls == 2);
  const auto wrapped =
      read_spans(SpanJson::array({span_of("a", "", 1, simple_call()), span_of("b", "a", 1, simple_call())}).dump());
  CHECK(wrapped.only().steps.size() == 1);
  CHECK(wrapped.only().side_calls.empty());
}

TEST_CASE("another agent of a trace has episodes of its own, and a failed call is no step", "[otel]") {
  const auto reading = read_spans(
      SpanJson::array({span_of("a", "", 1, {{"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.agent.name", "one"}}),
                       span_of("b", "a", 2, simple_call()),
                       span_of("c", "a", 3, {{"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.agent.name", "two"}}),
                       span_of("d", "c", 4, simple_call())})
          .dump());
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episode("t1").steps.size() == 1);
  CHECK(reading.episode("t1.two").tags.at(0).value == "two");
  SpanJson failed = simple_call();
  failed.erase("gen_ai.output.messages");
  SpanJson span = span_of("a", "", 1, failed);
  span["status"] = {{"status_code", "ERROR"}};
  const auto retried = read_spans(SpanJson::array({span, span_of("b", "", 2, simple_call())}).dump());
  CHECK(retried.only().steps.size() == 1);
  CHECK(retried.only().side_calls.size() == 1);
}

TEST_CASE("a hundred thousand spans below each other are read", "[otel]") {
  SpanJson spans = SpanJson::array();
  constexpr int kSpans = 100000;
  for (int at = kSpans; at > 1; --at) {
    spans.push_back(span_of(std::to_string(at), std::to_string(at - 1), 2, {{"gen_ai.agent.name", "x"}}));
  }
  spans.push_back(span_of("call", std::to_string(kSpans), 3, simple_call()));
  CHECK(read_spans(spans.dump()).only().steps.size() == 1);
}

TEST_CASE("huge attributes and indices are read within bounds", "[otel]") {
  SpanJson attributes = simple_call();
  attributes["llm.input_messages.18446744073709551615.message.role"] = "user";
  attributes["llm.input_messages.99999999999999999999999.message.role"] = "user";
  attributes["llm.input_messages.x.message.role"] = "user";
  attributes["noise"] = std::string(4 << 20, '[');
  attributes["gen_ai.output.messages"] = std::string(1 << 20, '[');
  CHECK(read_spans(SpanJson::array({span_of("a", "", 1, attributes)}).dump()).only().steps.size() == 1);
}

TEST_CASE("files of spans are told by their keys, and files without a model call are refused", "[otel]") {
  const auto detected = [](const std::string& head) { return otel_adapter().detect(head).value_or("no"); };
  CHECK(detected(test::read_file(otel_example("agent.otlp.json"))) == "otlp-json");
  CHECK(detected(test::read_file(otel_example("spans.jsonl"))) == "spans");
  CHECK(detected(R"({"trace": {"id": "a"}, "observations": [{"m": {"gen_ai.system": 1}}]})") == "langfuse");
  CHECK(detected(R"({"trace": {"id": "a"}, "observations": []})") == "no");
  CHECK(detected(R"({"spanId": "1", "attributes": {"http.method": "GET"}})") == "no");
  CHECK(detected(R"({"$defs": {}, "title": "gen_ai.input.messages"})") == "no");
  const auto other = read_spans(SpanJson::array({span_of("a", "", 1, {{"http.method", "GET"}})}).dump());
  CHECK(other.episodes.empty());
  CHECK(other.faults() == std::vector<Fault>{Fault::episode_set_aside});
}

}  // namespace memuse::ingest
