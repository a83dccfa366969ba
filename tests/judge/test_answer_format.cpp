#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../support/data.h"
#include "../support/json_schema.h"
#include "judge/answer_format.h"
#include "judge/strict_json.h"

namespace memuse::judge {
namespace {

using nlohmann::json;

bool schema_accepts(const json& value) {
  static const test::JsonSchema schema = test::JsonSchema::of_project("answer-1");
  return schema.accepts(value);
}

bool program_accepts(const json& value) {
  return parse_answer(value.dump()).answer.has_value();
}

const char* const kGood = R"({"entries": [
  {"entry": 2, "reason": "Step 4 writes the port that only the note holds.",
   "evidence": [{"step": 4, "quote": "listen = 7443", "supports": "influence"},
                {"file": "target", "quote": "the relay listens on 7443", "supports": "novelty"}],
   "relevance": true, "accuracy": "corroborated", "novelty": "novel", "influence": "acted_on",
   "anchors": [6, 4, 4], "effect": "improved"},
  {"entry": 0, "reason": "Nothing shows it.", "evidence": [], "relevance": false, "accuracy": null,
   "novelty": null, "influence": null, "anchors": [], "effect": null}]})";

std::vector<std::string> faults_of(const json& changed) {
  return parse_answer(changed.dump()).faults;
}

bool holds(const std::vector<std::string>& faults, std::string_view words) {
  for (const std::string& fault : faults) {
    if (fault.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("answer format: reads what it says") {
  const ParsedAnswer parsed = parse_answer(kGood);
  REQUIRE(parsed.faults.empty());
  REQUIRE(parsed.answer);
  REQUIRE(parsed.answer->entries.size() == 2);
  const EntryAnswer& first = parsed.answer->entries[0];
  CHECK(first.entry == 2);
  CHECK(first.reason == "Step 4 writes the port that only the note holds.");
  CHECK(first.labels == Labels{true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved});
  CHECK(first.anchors == std::vector<std::uint32_t>{4, 6});
  REQUIRE(first.evidence.size() == 2);
  CHECK(first.evidence[0] == Evidence{4, "", "listen = 7443", "influence", ""});
  CHECK(first.evidence[1] == Evidence{std::nullopt, "target", "the relay listens on 7443", "novelty", ""});
  CHECK(parsed.answer->entries[1].labels == Labels{false, {}, {}, {}, {}});
  CHECK(schema_accepts(json::parse(kGood)));
}

TEST_CASE("answer format: written and read again is the same, reasons before labels") {
  Answer answer = *parse_answer(kGood).answer;
  answer.entries[0].evidence[0].value = "7443";
  const std::string text = answer_to_json(answer).dump();
  const ParsedAnswer again = parse_answer(text);
  REQUIRE(again.answer);
  CHECK(*again.answer == answer);
  CHECK(schema_accepts(json::parse(text)));
  CHECK(text.find("\"reason\"") < text.find("\"evidence\""));
  CHECK(text.find("\"evidence\"") < text.find("\"relevance\""));
  CHECK(parse_answer(answer_to_json(Answer{}).dump()).answer == Answer{});
}

TEST_CASE("answer format: schema and program refuse the same, and the message names the place") {
  struct Change {
    std::string pointer;
    json value;
    std::string message;
  };
  const std::vector<Change> changes{
      {"/colour", 1, "field \"colour\" beside \"entries\""},
      {"/entries", "none", "\"entries\" is \"none\""},
      {"/entries", nullptr, "\"entries\" is null"},
      {"/entries/1", 7, "entries[1]: this is 7"},
      {"/entries/1", nullptr, "entries[1]: this is null"},
      {"/entries/0/entry", -1, "entries[0]: entry is -1"},
      {"/entries/0/entry", 1.5, "entries[0]: entry is 1.5"},
      {"/entries/0/entry", "2", "entries[0]: entry is \"2\""},
      {"/entries/0/entry", nullptr, "entries[0]: entry is null"},
      {"/entries/0/entry", 4294967296, "entries[0]: entry is 4294967296"},
      {"/entries/0/reason", "  ", "entry 2: reason is empty"},
      {"/entries/0/reason", nullptr, "entry 2: reason is null"},
      {"/entries/0/confidence", 0.9, "entry 2: there is no field \"confidence\""},
      {"/entries/0/relevance", "true", "entry 2: relevance is \"true\""},
      {"/entries/0/accuracy", "correct", "entry 2: accuracy is \"correct\"; say corroborated"},
      {"/entries/0/novelty", "new", "entry 2: novelty is \"new\""},
      {"/entries/0/influence", "acted on", "entry 2: influence is \"acted on\""},
      {"/entries/0/influence", json::array({"none"}), "entry 2: influence is a list"},
      {"/entries/0/effect", false, "entry 2: effect is false"},
      {"/entries/0/anchors", nullptr, "entry 2: anchors is null"},
      {"/entries/0/anchors", 4, "entry 2: anchors is 4"},
      {"/entries/0/anchors/0", 0, "entry 2: the anchor 0 is no step"},
      {"/entries/0/anchors/0", -4, "entry 2: the anchor -4 is no step"},
      {"/entries/0/anchors/0", 4.5, "entry 2: the anchor 4.5 is no step"},
      {"/entries/0/anchors/0", "4", "entry 2: the anchor \"4\" is no step"},
      {"/entries/0/anchors", json(std::vector<int>(1001, 4)), "there are 1001 anchors"},
      {"/entries/0/evidence", nullptr, "entry 2: evidence is null"},
      {"/entries/0/evidence", json(std::vector<json>(101, json::object())), "there are 101 pieces"},
      {"/entries/0/evidence/0", "step 4", "entry 2: evidence[0]: it is \"step 4\""},
      {"/entries/0/evidence/0/step", -4, "entry 2: evidence[0]: step is -4"},
      {"/entries/0/evidence/0/step", 4.25, "entry 2: evidence[0]: step is 4.25"},
      {"/entries/0/evidence/0/step", "4", "entry 2: evidence[0]: step is \"4\""},
      {"/entries/0/evidence/0/step", nullptr, "entry 2: evidence[0]: cite a place"},
      {"/entries/0/evidence/0/file", "target", "cite one place, not two"},
      {"/entries/0/evidence/1/file", "", "evidence[1]: file is \"\""},
      {"/entries/0/evidence/1/file", 4, "evidence[1]: file is 4"},
      {"/entries/0/evidence/1/file", std::string(201, 'x'), "evidence[1]: file is"},
      {"/entries/0/evidence/0/quote", nullptr, "\"quote\" is missing"},
      {"/entries/0/evidence/0/quote", 7443, "quote is 7443"},
      {"/entries/0/evidence/0/supports", 1, "supports is 1"},
      {"/entries/0/evidence/0/value", 1, "value is 1"},
      {"/entries/0/evidence/0/line", 1, "evidence[0]: there is no field \"line\""},
  };
  for (const Change& change : changes) {
    INFO(change.pointer << " = " << change.value.dump().substr(0, 80));
    json changed = json::parse(kGood);
    changed[json::json_pointer(change.pointer)] = change.value;
    CHECK_FALSE(schema_accepts(changed));
    CHECK_FALSE(program_accepts(changed));
    CHECK(holds(faults_of(changed), change.message));
  }
}

TEST_CASE("answer format: schema and program take the same") {
  const std::vector<std::pair<std::string, json>> changes{
      {"/entries", json::array()},
      {"/entries/0/entry", 0},
      {"/entries/0/anchors", json::array()},
      {"/entries/0/evidence/0/step", 0},
      {"/entries/0/evidence/0/file", nullptr},
      {"/entries/0/evidence/1/step", nullptr},
      {"/entries/0/evidence/0/supports", nullptr},
      {"/entries/0/evidence/0/value", "7443"},
      {"/entries/0/relevance", nullptr},
      {"/entries/0/reason", "«Grüße», 東京 \u2028 😀"},
  };
  for (const auto& [pointer, value] : changes) {
    INFO(pointer << " = " << value.dump());
    json changed = json::parse(kGood);
    changed[json::json_pointer(pointer)] = value;
    CHECK(schema_accepts(changed));
    CHECK(program_accepts(changed));
  }
}

TEST_CASE("answer format: every field of an entry is required") {
  for (const char* field :
       {"entry", "reason", "evidence", "relevance", "accuracy", "novelty", "influence", "anchors", "effect"}) {
    INFO(field);
    json changed = json::parse(kGood);
    changed["entries"][0].erase(field);
    CHECK_FALSE(schema_accepts(changed));
    CHECK(holds(faults_of(changed), std::string("the field \"") + field + "\" is missing"));
  }
}

TEST_CASE("answer format: what is no JSON of one meaning is refused") {
  CHECK(holds(parse_answer("").faults, "no valid JSON"));
  CHECK(holds(parse_answer("Sure! {\"entries\": []}").faults, "no valid JSON"));
  CHECK(holds(parse_answer("{\"entries\": []} {}").faults, "no valid JSON"));
  CHECK(holds(parse_answer("{\"entries\": [], \"entries\": []}").faults, "\"entries\" stands twice"));
  CHECK(holds(parse_answer("{\"entries\": [1e999]}").faults, "no valid JSON"));
  CHECK(holds(parse_answer("{\"entries\": [\"\xff\"]}").faults, "no valid JSON"));
  CHECK(holds(parse_answer("[]").faults, "the answer is a list"));
  CHECK(holds(parse_answer("null").faults, "the answer is null"));
  CHECK(holds(parse_answer("{}").faults, "no \"entries\""));

  std::string twice = kGood;
  twice.replace(twice.find("\"novelty\": \"novel\""), 18, "\"effect\": \"improved\"");
  CHECK(holds(parse_answer(twice).faults, "\"effect\" stands twice"));
}

TEST_CASE("answer format: hostile documents are bounded") {
  CHECK(holds(parse_answer(std::string(1'000'000, '[')).faults, "nested more than 8 levels"));
  CHECK(holds(parse_answer(std::string((4U << 20U) + 1, ' ')).faults, "at most 4194304"));

  json many;
  many["entries"] = std::vector<json>(9'000, json::object());
  const std::vector<std::string> faults = faults_of(many);
  CHECK(faults.size() < 100);
  CHECK(faults.back().find("was not looked at") != std::string::npos);

  json fields = json::parse(kGood);
  for (int i = 0; i < 1'000; ++i) fields["entries"][0]["extra" + std::to_string(i)] = i;
  CHECK(faults_of(fields).size() < 10);

  json controls = json::parse(kGood);
  controls["entries"][0]["novelty"] = "\x1b[2J\u202e" + std::string(5'000, 'x');
  for (const std::string& fault : faults_of(controls)) {
    CHECK(fault.find('\x1b') == std::string::npos);
    CHECK(fault.find("\u202e") == std::string::npos);
    CHECK(fault.size() < 400);
  }
}

TEST_CASE("answer format: an entry may stand in a row with more fields") {
  json row = json::parse(kGood)["entries"][0];
  row["run"] = "r1";
  std::vector<std::string> faults;
  CHECK_FALSE(parse_entry_answer(row, {}, faults));
  CHECK(holds(faults, "entry 2: there is no field \"run\""));
  faults.clear();
  const std::optional<EntryAnswer> entry = parse_entry_answer(row, {"run"}, faults);
  REQUIRE(entry);
  CHECK(faults.empty());
  CHECK(*entry == parse_answer(kGood).answer->entries[0]);
  CHECK_FALSE(parse_entry_answer(json::array(), {}, faults));
  CHECK(holds(faults, "this is a list"));
}

TEST_CASE("strict JSON: keys of different objects and arrays are not confused") {
  std::vector<std::string> faults;
  CHECK(parse_strict_json(R"([{"a": 1}, {"a": {"a": [2]}}])", {}, faults));
  CHECK(faults.empty());
  CHECK_FALSE(parse_strict_json(R"({"a": {"b": 1}, "c": [], "a": 2})", {}, faults));
  CHECK(faults.size() == 1);
  faults.clear();
  CHECK(parse_strict_json("[[[]]]", {.bytes = 6, .levels = 3}, faults));
  CHECK_FALSE(parse_strict_json("[[[]]]", {.bytes = 5, .levels = 3}, faults));
  CHECK_FALSE(parse_strict_json("[[[]]]", {.bytes = 6, .levels = 2}, faults));
  CHECK(faults.size() == 2);
}

}  // namespace memuse::judge
