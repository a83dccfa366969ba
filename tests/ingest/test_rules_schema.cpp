#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../support/data.h"
#include "../support/json_schema.h"
#include "ingest/delivery_rules.h"
#include "ingest/rule_presets.h"
#include "model/error.h"

// The schema of delivery rules and the program agree on what a rules file is.

namespace memuse::ingest {
namespace {

using nlohmann::json;

bool schema_accepts(const json& value) {
  static const test::JsonSchema schema = test::JsonSchema::of_project("delivery-rules");
  return schema.accepts(value);
}

bool program_accepts(const json& value) {
  try {
    DeliveryRules::parse(value.dump(), "test");
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string example_rules() {
  return test::read_file(std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "notebook-rules.json");
}

}  // namespace

TEST_CASE("rules schema: takes every preset, the example of the docs, and a list of sets") {
  json all = json::array();
  for (const EmbeddedFile& preset : rule_presets()) {
    INFO(preset.name);
    all.push_back(json::parse(preset.text));
    CHECK(schema_accepts(all.back()));
  }
  CHECK(schema_accepts(all));
  CHECK(schema_accepts(json::parse(example_rules())));
  CHECK(program_accepts(json::parse(example_rules())));
}

TEST_CASE("rules schema: refuses what the program refuses") {
  const json good = json::parse(example_rules());
  const std::vector<std::pair<std::string, json>> changes{
      {"/schema", "memuse-delivery-rules/2"},
      {"/name", "Not Plain"},
      {"/description", " "},
      {"/rules", json::array()},
      {"/colour", "red"},
      {"/rules/0/route", "harness"},
      {"/rules/0/known_from", "rumour"},
      {"/rules/0/form", ""},
      {"/rules/0/where", json::array()},
      {"/rules/0/where/0/role", "assistant"},
      {"/rules/0/where/0/role", "tool"},
      {"/rules/0/where/0/tools", "x"},
      {"/rules/0/where/0/arguments", "x"},
      {"/rules/0/where/0", {{"role", "tool"}, {"tools", "x"}, {"first", true}}},
      {"/rules/0/strip", 5},
      {"/rules/0/block", "x"},
      {"/rules/0/block", {{"end", "x"}}},
      {"/rules/0/block", {{"before", "x"}}},
      {"/rules/0/block/until", "x"},
      {"/rules/0/block/colour", "x"},
      {"/rules/0/sections", json::array({{{"begin", "x"}}})},
      {"/rules/0/decode", "yaml"},
      {"/rules/0/entries", json::array()},
      {"/rules/0/entries/0/until", 1},
      {"/rules/0/entries/0/text", json::array()},
      {"/rules/0/entries/0/colour", "x"},
      {"/rules/0/without_entries", "maybe"},
      {"/rules/0/fallback", "no"},
  };
  for (const auto& [pointer, value] : changes) {
    INFO(pointer << " = " << value.dump());
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    CHECK_FALSE(schema_accepts(changed));
    CHECK_FALSE(program_accepts(changed));
  }
  for (const char* field : {"name", "description", "known_from", "route", "form", "where"}) {
    INFO("without " << field);
    json changed = good;
    changed["rules"][0].erase(field);
    CHECK_FALSE(schema_accepts(changed));
    CHECK_FALSE(program_accepts(changed));
  }
}

}  // namespace memuse::ingest
