// The schemas of delta and the program agree on what a declaration and a row are.

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "model/error.h"
#include "support/data.h"
#include "support/json_schema.h"
#include "support/temporary_folder.h"
#include "workflow/delta_declaration.h"
#include "workflow/delta_row_fields.h"

using namespace memuse;
using controlled::Component;
using nlohmann::json;

namespace {

json example() {
  const auto path = std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "delta" / "study.json";
  return json::parse(test::read_file(path));
}

bool schema_accepts(const json& value) {
  static const test::JsonSchema schema = test::JsonSchema::of_project("delta-1");
  return schema.accepts(value);
}

bool program_accepts(const json& value) {
  const test::TemporaryFolder folder;
  try {
    static_cast<void>(workflow::read_delta_declaration(folder.write("d.json", value.dump())));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("delta: schema and program take and refuse the same declarations") {
  const std::vector<std::pair<bool, std::function<void(json&)>>> changes{
      {true, [](json&) {}},
      {true, [](json& d) { d["reference"] = nullptr; }},
      {true,
       [](json& d) {
         d["results"] = json::array({"a.csv", "b.csv"});
       }},
      {true, [](json& d) { d["strategies"][0]["components"] = nullptr; }},
      {true,
       [](json& d) {
         d["strategies"][0]["select"] = {{"strategy", "x"}, {"run", 1}, {"top_k", 3}};
       }},
      {true,
       [](json& d) {
         d["strategies"][0]["write_path"] = {{"calls", 1}, {"dollars", 0.5}};
       }},
      {true, [](json& d) { d["comparisons"][0]["comes_with"] = {"embedding_model"}; }},
      {true, [](json& d) { d["comparisons"][0].erase("factor"); }},
      {true, [](json& d) { d["model_families"]["x"] = nullptr; }},
      {false, [](json& d) { d["results"] = 3; }},
      {false, [](json& d) { d["extra"] = 3; }},
      {false, [](json& d) { d.erase("strategies"); }},
      {false, [](json& d) { d.erase("comparisons"); }},
      {false, [](json& d) { d["strategies"][0].erase("name"); }},
      {false, [](json& d) { d["strategies"][0]["components"]["model"] = "x"; }},
      {false, [](json& d) { d["strategies"][0]["components"]["judge"] = json::array(); }},
      {false,
       [](json& d) {
         d["strategies"][0]["select"] = {{"instance", "x"}};
       }},
      {false,
       [](json& d) {
         d["strategies"][0]["write_path"] = {{"tokens", 1}};
       }},
      {false, [](json& d) { d["strategies"][0]["role"] = "control"; }},
      {false, [](json& d) { d["comparisons"][0]["factor"] = "memory"; }},
      {false, [](json& d) { d["comparisons"][0]["comes_with"] = "embedding_model"; }},
      {false,
       [](json& d) {
         d["comparisons"][0]["comes_with"] = {"embedding_model", "prompt"};
       }},
      {false,
       [](json& d) {
         d["strategies"][0]["write_path"] = {{"calls", 2e15}};
       }},
      {false, [](json& d) { d["model_families"]["x"] = 3; }},
      {false, [](json& d) { d["format"] = "memuse-delta/0"; }}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    json declaration = example();
    changes[i].second(declaration);
    INFO(i);
    CHECK(schema_accepts(declaration) == changes[i].first);
    CHECK(program_accepts(declaration) == changes[i].first);
  }
}

TEST_CASE("delta: no control character of a declaration is in what is said about it") {
  const test::TemporaryFolder folder;
  json declaration = example();
  declaration["model_families"]["x\x1b[31m"] = 3;
  try {
    static_cast<void>(workflow::read_delta_declaration(folder.write("d.json", declaration.dump())));
    FAIL("taken");
  } catch (const Error& error) {
    const std::string said = error.what();
    CHECK(said.find('\x1b') == std::string::npos);
    CHECK(said.find("model_families.x") != std::string::npos);
  }
}

TEST_CASE("delta: a declaration is read as it stands, with paths from its own folder") {
  const test::TemporaryFolder folder;
  json declaration = example();
  declaration["results"] = "sub/../rows.csv";
  declaration["strategies"][0]["select"] = {{"run", 7}, {"embedding_model", "e"}};
  declaration["strategies"][0]["components"]["top_k"] = 12;
  declaration["strategies"][0]["components"]["prompt"] = nullptr;
  const auto read = workflow::read_delta_declaration(folder.write("d.json", declaration.dump()));
  CHECK(read.results == std::vector<std::string>{folder / "rows.csv"});
  CHECK(read.selections[0].run == "7");
  CHECK(read.selections[0].strategy == "chunks");
  CHECK(read.selections[0].components[Component::embedding_model] == "e");
  const controlled::Strategy& strategy = read.declaration.strategies[0];
  CHECK(strategy.components[Component::top_k] == "12");
  CHECK_FALSE(strategy.components[Component::prompt]);
  CHECK(strategy.ranked_as == "chunks");
  CHECK(read.declaration.comparisons[0].name == "facts vs chunks-l");
  CHECK(read.declaration.strategies[read.declaration.comparisons[0].second].name == "chunks-l");
}

TEST_CASE("delta: the schema of rows names the fields that the program knows") {
  const test::JsonSchema schema = test::JsonSchema::of_project("delta-results-1");
  std::set<std::string> in_schema;
  for (const auto& [name, value] : schema.document()["properties"].items()) in_schema.insert(name);
  const auto& fields = workflow::result_fields();
  CHECK(in_schema == std::set<std::string>(fields.begin(), fields.end()));
}
