#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agentic_judge/judge_tools.h"
#include "judge/answer_format.h"
#include "support/json_schema.h"

namespace memuse::agentic_judge {
namespace {

using nlohmann::json;

bool schema_accepts(const nlohmann::ordered_json& schema, const json& value) {
  return test::JsonSchema(json::parse(schema.dump())).accepts(value);
}

nlohmann::ordered_json schema_of(std::string_view tool) {
  for (const chat::ToolSpec& spec : judge_tools()) {
    if (spec.name == tool) return spec.parameters;
  }
  return {};
}

}  // namespace

TEST_CASE("judge tools: schemas take what the tools take, and nothing else") {
  CHECK(judge_tools().size() == 4);
  CHECK(schema_accepts(schema_of("list_files"), json::object()));
  CHECK_FALSE(schema_accepts(schema_of("list_files"), {{"file", "task"}}));
  CHECK(schema_accepts(schema_of("read_file"), {{"file", "task"}}));
  CHECK(schema_accepts(schema_of("read_file"), {{"file", "task"}, {"from", 10}, {"bytes", 5}}));
  CHECK_FALSE(schema_accepts(schema_of("read_file"), {{"file", "task"}, {"from", -1}}));
  CHECK_FALSE(schema_accepts(schema_of("read_file"), {{"path", "task"}}));
  CHECK(schema_accepts(schema_of("search"), {{"pattern", "a+"}, {"file", "task"}}));
  CHECK_FALSE(schema_accepts(schema_of("search"), {{"file", "task"}}));
}

TEST_CASE("judge tools: every answer that the schema takes can be read") {
  const json entry{{"entry", 0},
                   {"reason", "Step 4 shows it."},
                   {"evidence",
                    {{{"step", 4}, {"file", nullptr}, {"quote", "listen = 7443"}, {"supports", "influence"}},
                     {{"file", "target"}, {"quote", "listens on 7443"}, {"supports", "novelty"}}}},
                   {"relevance", true},
                   {"accuracy", "corroborated"},
                   {"novelty", nullptr},
                   {"influence", "acted_on"},
                   {"anchors", {4}},
                   {"effect", nullptr}};
  const json answer{{"entries", {entry}}};
  CHECK(schema_accepts(schema_of("submit_answer"), answer));
  CHECK(judge::parse_answer(answer.dump()).answer);
  for (const char* field :
       {"entry", "reason", "evidence", "relevance", "accuracy", "novelty", "influence", "anchors", "effect"}) {
    json without = answer;
    without["entries"][0].erase(field);
    CHECK_FALSE(schema_accepts(schema_of("submit_answer"), without));
  }
  json more = answer;
  more["entries"][0]["confidence"] = 1;
  CHECK_FALSE(schema_accepts(schema_of("submit_answer"), more));
}

TEST_CASE("judge tools: the schema of an answer asks for reasons before labels") {
  std::vector<std::string> order;
  const nlohmann::ordered_json schema = schema_of("submit_answer");
  for (const auto& [name, property] : schema["properties"]["entries"]["items"]["properties"].items()) {
    order.push_back(name);
  }
  CHECK(order == std::vector<std::string>{"entry", "reason", "evidence", "relevance", "accuracy", "novelty",
                                          "influence", "anchors", "effect"});
  CHECK(tools_in_words().find("`read_file`") != std::string::npos);
}

TEST_CASE("JSON in prose is found") {
  CHECK(json_object_in(R"({"a": 1})") == R"({"a": 1})");
  CHECK(json_object_in("Here it is:\n```json\n{\"a\": {\"b\": [1, 2]}}\n```\nDone {x}.") == R"({"a": {"b": [1, 2]}})");
  CHECK(json_object_in(R"(I use {braces} and "quotes {" first: {"a": "}{\"\\"} {"b": 2})") == R"({"a": "}{\"\\"})");
  CHECK(json_object_in(R"({{"a": 1}})") == R"({"a": 1})");
  CHECK(json_object_in(R"({"a": see below} {"b": 2})") == R"({"b": 2})");
  CHECK_FALSE(json_object_in("no object [1, 2] here"));
  CHECK_FALSE(json_object_in(""));
  CHECK_FALSE(json_object_in("{"));
  CHECK_FALSE(json_object_in(R"({"entries": [{"entry": 0, "rea)"));
  CHECK_FALSE(json_object_in("{\"a\": \"\xff\"}"));
  CHECK(json_objects_in(R"({"a": 1} {"b": {"c": 2}} {"d": 3})", 2) ==
        std::vector<std::string>{R"({"a": 1})", R"({"b": {"c": 2}})"});
}

TEST_CASE("JSON in prose: hostile text takes no more than linear time") {
  constexpr std::size_t kSize = 500'000;
  CHECK_FALSE(json_object_in(std::string(kSize, '{')));
  std::string nested;
  while (nested.size() < kSize) nested += "{\"a\":";
  CHECK_FALSE(json_object_in(nested));
  std::string open = "{\"a\": [";
  while (open.size() < kSize) open += "1, ";
  CHECK_FALSE(json_object_in(open));
  std::string strings;
  while (strings.size() < kSize) strings += "{\"{";
  CHECK_FALSE(json_object_in(strings));
}

}  // namespace memuse::agentic_judge
