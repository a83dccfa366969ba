#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../support/data.h"
#include "../support/json_schema.h"
#include "ingest/canonical_trace.h"
#include "ingest/task_files.h"

// The schemas of what goes in, against the examples, the reference traces, and data that they must refuse.

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

test::JsonSchema schema_of(const std::string& name = "memuse-trace-1") {
  return test::JsonSchema::of_project(name);
}

std::vector<fs::path> trace_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& found : fs::recursive_directory_iterator(folder)) {
    if (found.path().extension() == ".jsonl") files.push_back(found.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Checks every line of a canonical trace; the number of lines.
std::size_t check_lines(const test::JsonSchema& schema, const fs::path& file) {
  std::ifstream in(file);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    INFO(file.string() << ":" << number);
    CHECK(schema.accepts(json::parse(line)));
  }
  return number;
}

bool is_canonical(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) && line.find("memuse-trace/1") != std::string::npos;
}

json smallest(const std::string& type) {
  static const json lines = json::parse(R"json({
    "episode": {"type": "episode", "schema": "memuse-trace/1", "episode": "e", "task_id": "t", "configuration": "c",
                "run": "r1", "task": {"text": "do it"}},
    "message": {"type": "message", "id": "m", "role": "user", "origin": "memory", "text": "note"},
    "drop": {"type": "drop", "messages": ["m"]},
    "rewrite": {"type": "rewrite", "message": "m", "text": "short"},
    "step": {"type": "step", "step": 1},
    "delivery": {"type": "delivery", "id": "d", "route": "host", "form": "recall"},
    "search": {"type": "search", "id": "q", "query": "port", "returned": [], "status": "completed"},
    "memory": {"type": "memory", "op": "create", "item": "A", "version": "A.1"},
    "side_call": {"type": "side_call", "purpose": "embedding"},
    "end": {"type": "end", "reason": "done"}
  })json");
  return lines.at(type);
}

const std::vector<std::string> kTypes{"episode",  "message", "drop",   "rewrite",   "step",
                                      "delivery", "search",  "memory", "side_call", "end"};

}  // namespace

TEST_CASE("trace schema: every line of the example traces is valid and read without a diagnostic") {
  const test::JsonSchema schema = schema_of();
  const auto files = trace_files(fs::path(MEMUSE_SOURCE_DIR) / "examples" / "traces");
  CHECK(files.size() == 4);
  for (const fs::path& file : files) {
    CHECK(check_lines(schema, file) > 0);
    std::vector<Diagnostic> diagnostics;
    const auto episodes = read_canonical_trace(test::read_file(file), {}, &diagnostics);
    CHECK(episodes.size() == 6);
    for (const Diagnostic& diagnostic : diagnostics) FAIL_CHECK(to_line(diagnostic));
  }
}

TEST_CASE("trace schema: entries of the example traces stand where their ranges say") {
  for (const fs::path& file : trace_files(fs::path(MEMUSE_SOURCE_DIR) / "examples" / "traces")) {
    std::size_t ranges = 0;
    for (const Episode& episode : read_canonical_trace(test::read_file(file), {}, nullptr)) {
      for (const Delivery& delivery : episode.deliveries) {
        if (!delivery.message) continue;
        const std::string_view text = episode.texts[episode.messages[*delivery.message].text_at_order(delivery.order)];
        for (const Entry& entry : delivery.entries) {
          INFO(file.string() << " " << episode.id << " " << delivery.id);
          CHECK(episode.placed_text(delivery).find(entry.text) != std::string_view::npos);
          if (!entry.range) continue;
          ++ranges;
          CHECK(text.substr(entry.range->begin, entry.range->end - entry.range->begin) == entry.text);
        }
      }
    }
    CHECK(ranges > 0);
  }
}

TEST_CASE("trace schema: every line of the reference traces is valid") {
  MEMUSE_NEEDS_SHARED_DATA();
  const test::JsonSchema schema = schema_of();
  std::size_t lines = 0;
  for (const fs::path& file : trace_files(test::shared_data())) {
    if (is_canonical(file)) lines += check_lines(schema, file);
  }
  CHECK(lines > 0);
}

TEST_CASE("trace schema: the smallest line of each type is valid, with unknown fields too") {
  const test::JsonSchema schema = schema_of();
  for (const std::string& type : kTypes) {
    INFO(type);
    json line = smallest(type);
    CHECK(schema.accepts(line));
    line["x_recorder"] = {{"any", "thing"}};
    CHECK(schema.accepts(line));
  }
}

TEST_CASE("trace schema: a line without one of its required fields is refused") {
  const test::JsonSchema schema = schema_of();
  for (const std::string& type : kTypes) {
    const json line = smallest(type);
    for (const auto& field : line.items()) {
      INFO(type << " without " << field.key());
      json damaged = line;
      damaged.erase(field.key());
      CHECK_FALSE(schema.accepts(damaged));
    }
  }
}

TEST_CASE("trace schema: wrong types and unknown words are refused") {
  struct Fault {
    std::string type, pointer;
    json value;
  };
  const auto fault = GENERATE(values<Fault>({
      {"episode", "/type", "episodes"},
      {"episode", "/schema", "memuse-trace/2"},
      {"episode", "/episode", 7},
      {"episode", "/position", 0},
      {"episode", "/visibility", "complete"},
      {"episode", "/delivery_grade", "guessed"},
      {"episode", "/tags", {{"k", 1}}},
      {"episode", "/task", "do it"},
      {"episode", "/probe", {{"gold", "42"}}},
      {"episode", "/outcome", {{"resolved", "yes"}}},
      {"message", "/role", "human"},
      {"message", "/origin", "notes"},
      {"message", "/text", nullptr},
      {"message", "/transient", 1},
      {"drop", "/messages", "m"},
      {"rewrite", "/text", 1},
      {"step", "/step", 0},
      {"step", "/step", 1.5},
      {"step", "/actions", {"ls"}},
      {"step", "/usage", {{"input", -1}}},
      {"step", "/persist", "no"},
      {"delivery", "/route", "harness"},
      {"delivery", "/range", json::array({1})},
      {"delivery", "/range", json::array({-1, 2})},
      {"delivery", "/entries", {{{"item", "A"}}}},
      {"delivery", "/tokens", 1.5},
      {"search", "/status", "done"},
      {"search", "/returned", nullptr},
      {"memory", "/op", "merge"},
      {"memory", "/steps", {"one"}},
      {"side_call", "/cost_usd", "0.1"},
      {"end", "/reason", 1},
  }));
  INFO(fault.type << fault.pointer << " = " << fault.value.dump());
  const test::JsonSchema schema = schema_of();
  json line = smallest(fault.type);
  line[json::json_pointer(fault.pointer)] = fault.value;
  CHECK_FALSE(schema.accepts(line));
}

TEST_CASE("trace schema: what is no object with a known type is refused") {
  const test::JsonSchema schema = schema_of();
  for (const json& line : {json::array(), json("end"), json(nullptr), json::object(), json{{"type", "note"}}}) {
    INFO(line.dump());
    CHECK_FALSE(schema.accepts(line));
  }
}

TEST_CASE("probes schema: takes one probe, a list of them or an object by task, and no other") {
  const test::JsonSchema schema = schema_of("probes-1");
  json all = json::array();
  std::ifstream in(fs::path(MEMUSE_SOURCE_DIR) / "examples" / "probes.jsonl");
  for (std::string line; std::getline(in, line);) {
    INFO(line);
    all.push_back(json::parse(line));
    CHECK(schema.accepts(all.back()));
  }
  CHECK(all.size() == 6);
  CHECK(schema.accepts(all));
  CHECK(schema.accepts({{"task_id", "t"}, {"gold", {7}}, {"stale", json::array()}}));
  CHECK(schema.accepts({{"t", {{"gold", {7}}, {"stale", json::array()}}}}));
  CHECK_FALSE(schema.accepts({{"gold", {"7"}}, {"stale", json::array()}}));
  CHECK_FALSE(schema.accepts({{"t", {{"gold", {7}}}}}));
  CHECK_FALSE(schema.accepts({{"task_id", "t"}, {"gold", "7"}, {"stale", json::array()}}));
  CHECK_FALSE(schema.accepts({{"task_id", "t"}, {"gold", {"7"}}, {"stale", {true}}}));
  CHECK_FALSE(schema.accepts("t"));
}

TEST_CASE("outcomes schema: takes a row, a list of them or an object by task, and no other") {
  const test::JsonSchema schema = schema_of("outcomes-1");
  const auto accepts = [&](const char* text) { return schema.accepts(json::parse(text)); };
  CHECK(accepts(R"({"task_id": "a", "resolved": true})"));
  CHECK(accepts(R"([{"task_id": "a", "resolved": true}])"));
  CHECK(accepts(R"([{"task_id": "a", "resolved": null, "reward": 0.5, "configuration": "c", "run": "r1"}])"));
  CHECK(accepts(R"({"a": true, "b": {"resolved": false, "reward": 0}})"));
  CHECK_FALSE(accepts(R"([{"resolved": true}])"));
  CHECK_FALSE(accepts(R"([{"task_id": "a", "resolved": "true"}])"));
  CHECK_FALSE(accepts(R"([{"task_id": "a"}])"));
  CHECK_FALSE(accepts(R"({"a": 1})"));
  CHECK_FALSE(accepts(R"({"a": {"reward": 1}})"));
  CHECK_FALSE(accepts("true"));
}

TEST_CASE("the sample files of outcomes and probes are read without a diagnostic") {
  std::vector<Diagnostic> diagnostics;
  const fs::path examples = fs::path(MEMUSE_SOURCE_DIR) / "examples";
  const OutcomeTable outcomes = read_outcomes((examples / "outcomes.csv").string(), diagnostics);
  const ProbeTable probes = read_probes((examples / "probes.jsonl").string(), diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) FAIL_CHECK(to_line(diagnostic));
  CHECK(outcomes.rows.size() == 4);
  CHECK(probes.rows.size() == 6);
  const OutcomeRow* flaky = outcomes.find("flaky-tide-test", "cards", "r1");
  REQUIRE(flaky != nullptr);
  CHECK(flaky->resolved == true);
  CHECK(outcomes.find("flaky-tide-test", "cards", "r2") == nullptr);
  CHECK(outcomes.find("accounts-export", "notes-pinned", "r2") != nullptr);
  const ProbeRow* partner = probes.find("partner-export", "cards", "r2");
  REQUIRE(partner != nullptr);
  CHECK(partner->corruption.has_value());
  CHECK(partner->gold == std::vector<std::string>{"cp1252"});
}

}  // namespace memuse::ingest
