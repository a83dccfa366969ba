#include "ingest/delivery_rules.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../support/data.h"
#include "../support/episode_builder.h"
#include "../support/episode_text.h"
#include "../support/rule_episode.h"
#include "../support/temporary_folder.h"
#include "ingest/canonical_trace.h"
#include "ingest/canonical_trace_writer.h"
#include "ingest/episode_rereader.h"
#include "ingest/pipeline.h"
#include "ingest/rule_presets.h"
#include "model/error.h"

namespace memuse::ingest {
namespace {

using nlohmann::json;
using test::entries_of;
using test::episode_with;
using test::EpisodeBuilder;

/// A set with one rule: `<notes>` in system and user messages, one entry a line.
json notes_set() {
  return json::parse(R"json({
    "schema": "memuse-delivery-rules/1", "name": "mine", "description": "Notes.",
    "rules": [{
      "name": "notes", "description": "A list of notes.", "known_from": "code", "route": "host", "form": "notes",
      "where": [{"role": "system"}, {"role": "user"}],
      "block": {"begin": "<notes>$", "end": "</notes>"},
      "entries": [{"begin": "- ", "pattern": "(?s)\\A- (?:(?P<item>N\\d+)(?:v(?P<version>\\d+))?: )?(?P<text>.*\\S)", "identifiers": "item"}]
    }]})json");
}

DeliveryRules notes_rules() {
  return DeliveryRules::parse(notes_set().dump(), "test");
}

/// The set with a change at a place in its one rule.
std::string changed(const std::string& pointer, const json& value) {
  json set = notes_set();
  set["rules"][0][json::json_pointer(pointer)] = value;
  return set.dump();
}

std::string fault_of(const std::string& rules) {
  try {
    DeliveryRules::parse(rules, "my.json");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "no fault";
}

EpisodeBuilder unrecorded() {
  EpisodeBuilder builder;
  builder.episode().delivery_grade = DeliveryGrade::not_recorded;
  return builder;
}

const char* const kBlock = "<notes>\n- N1v2: The port is 7719.\n- Ask first.\n</notes>";

}  // namespace

TEST_CASE("delivery rules: a block becomes a delivery with its entries, ranges, order and step") {
  EpisodeBuilder builder = unrecorded();
  const std::string text = std::string("Hello.\n") + kBlock + "\nGo on.";
  builder.message("m1", text, {.role = Role::system}).steps(2);
  Episode episode = builder.build();
  const RulesApplied applied = notes_rules().apply(episode);
  CHECK(applied.deliveries == 1);
  CHECK(applied.overflowing.empty());
  CHECK(episode.delivery_grade == DeliveryGrade::by_rule);
  REQUIRE(episode.deliveries.size() == 1);
  const Delivery& delivery = episode.deliveries[0];
  CHECK(delivery.id == "mine/notes#1");
  CHECK(rule_of(delivery) == "mine/notes");
  CHECK(rule_set_of(delivery) == "mine");
  CHECK(delivery.route == Route::host);
  CHECK(delivery.form == "notes");
  CHECK(delivery.order == episode.messages[0].order);
  CHECK(delivery.consuming_step == 1);
  CHECK(delivery.message == 0);
  CHECK(episode.placed_text(delivery) == kBlock);
  REQUIRE(delivery.entries.size() == 2);
  CHECK(delivery.entries[0].item == "N1");
  CHECK(delivery.entries[0].version == "2");
  CHECK(delivery.entries[0].text == "The port is 7719.");
  CHECK(delivery.entries[0].identifiers == std::vector<std::string_view>{"N1"});
  REQUIRE(delivery.entries[0].range.has_value());
  CHECK(text.substr(delivery.entries[0].range->begin, 8) == "The port");
  CHECK_FALSE(delivery.entries[1].item.has_value());
  CHECK_FALSE(delivery.entries[1].version.has_value());
  CHECK(delivery.entries[1].identifiers.empty());
}

TEST_CASE("delivery rules: a message that stays is one delivery, each rewritten or transient one is one more") {
  EpisodeBuilder builder = unrecorded();
  builder.message("m1", kBlock, {.role = Role::system}).steps(2);
  builder.rewrite("m1", "no notes now").step();
  builder.rewrite("m1", "<notes>\n- Ask twice.\n</notes>").step();
  builder.transient("m2", kBlock).step().transient("m3", kBlock).step();
  builder.message("m4", kBlock);
  Episode episode = builder.build();
  CHECK(notes_rules().apply(episode).deliveries == 5);
  std::vector<std::pair<std::uint32_t, std::string>> found;
  std::uint32_t order = 0;
  for (const Delivery& delivery : episode.deliveries) {
    CHECK(delivery.order >= order);
    order = delivery.order;
    found.emplace_back(delivery.consuming_step, std::string(delivery.entries.back().text));
  }
  CHECK(found ==
        std::vector<std::pair<std::uint32_t, std::string>>{
            {1, "Ask first."}, {4, "Ask twice."}, {5, "Ask first."}, {6, "Ask first."}, {kNever, "Ask first."}});
}

TEST_CASE("delivery rules: a text that was rewritten before any step saw it is no delivery") {
  EpisodeBuilder builder = unrecorded();
  builder.message("m1", kBlock, {.role = Role::system}).rewrite("m1", "nothing").step();
  Episode episode = builder.build();
  CHECK(notes_rules().apply(episode).deliveries == 0);
}

TEST_CASE("delivery rules: the model's own words and results of other tools are never looked at") {
  const DeliveryRules tools = DeliveryRules::parse(
      changed("/where", json::parse(R"([{"role": "tool", "tools": "recall|note_.*", "arguments": "^n"}])")), "test");
  const auto found = [&](const DeliveryRules& rules, const test::Placed& placed) {
    Episode episode = episode_with(placed);
    return rules.apply(episode).deliveries;
  };
  CHECK(found(tools, {Role::tool, kBlock, "recall", R"({"name":"x","deep":[{"q":"nine"}]})"}) == 1);
  CHECK(found(tools, {Role::tool, kBlock, "note_read", R"(["n"])"}) == 1);
  CHECK(found(tools, {Role::tool, kBlock, "recall", R"({"n":"x"})"}) == 0);  // names of arguments do not count
  CHECK(found(tools, {Role::tool, kBlock, "recall_all", R"(["n"])"}) == 0);  // the whole name has to match
  CHECK(found(tools, {Role::tool, kBlock, "bash", R"(["n"])"}) == 0);
  CHECK(found(tools, {Role::user, kBlock}) == 0);
  CHECK(found(notes_rules(), {Role::tool, kBlock, "recall", R"(["n"])"}) == 0);
  CHECK(found(notes_rules(), {Role::assistant, kBlock}) == 0);
  CHECK(found(notes_rules(), {Role::user, kBlock}) == 1);
}

TEST_CASE("delivery rules: a result belongs to the call that it names, or to the only one there is") {
  const DeliveryRules tools =
      DeliveryRules::parse(changed("/where", json::parse(R"([{"role": "tool", "tools": "recall"}])")), "test");
  const auto found = [&](std::vector<Action> actions, const char* answered) {
    EpisodeRecorder recorder;
    recorder.episode().delivery_grade = DeliveryGrade::not_recorded;
    recorder.tick();
    StepRecord step;
    step.actions = std::move(actions);
    step.results.push_back({{}, answered, kBlock});
    recorder.add_step(std::move(step));
    recorder.tick();
    recorder.add_step({});
    Episode episode = recorder.take();
    const std::uint64_t count = tools.apply(episode).deliveries;
    if (count == 1) {
      CHECK(episode.deliveries[0].consuming_step == 2);
      CHECK(episode.deliveries[0].message == 0);
    }
    return count;
  };
  CHECK(found({{"a", "recall", "{}"}}, "a") == 1);
  CHECK(found({{"a", "recall", "{}"}}, "") == 1);
  CHECK(found({{"a", "bash", "{}"}, {"b", "recall", "{}"}}, "b") == 1);
  CHECK(found({{"a", "bash", "{}"}, {"b", "recall", "{}"}}, "a") == 0);
  CHECK(found({{"a", "bash", "{}"}, {"b", "recall", "{}"}}, "") == 0);
  CHECK(found({{"a", "recall", "{}"}}, "z") == 0);
}

TEST_CASE("delivery rules: only episodes that record no deliveries are touched, and only once") {
  for (const auto grade : {DeliveryGrade::annotated, DeliveryGrade::by_rule, DeliveryGrade::none}) {
    Episode episode = episode_with({Role::system, kBlock});
    episode.delivery_grade = grade;
    CHECK(notes_rules().apply(episode).deliveries == 0);
    CHECK(episode.deliveries.empty());
    CHECK(episode.delivery_grade == grade);
  }
  Episode episode = episode_with({Role::system, kBlock});
  const DeliveryRules rules = notes_rules();
  CHECK(rules.apply(episode).deliveries == 1);
  const std::string once = test::episode_text(episode);
  CHECK(rules.apply(episode).deliveries == 0);
  CHECK(test::episode_text(episode) == once);
}

TEST_CASE("delivery rules: where nothing is found, deliveries stay unrecorded and are not said to be none") {
  Episode episode = episode_with({Role::system, "You fix things."});
  CHECK(notes_rules().apply(episode).deliveries == 0);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
}

TEST_CASE("delivery rules: a block without entries is a text, a delivery of nothing, or none, as the rule says") {
  const auto apply = [](const char* without, const char* text) {
    Episode episode = episode_with({Role::system, text});
    DeliveryRules::parse(changed("/without_entries", without), "test").apply(episode);
    return episode;
  };
  const char* const prose = "<notes>\nBe brief.\n</notes>";
  Episode episode = apply("text", prose);
  REQUIRE(episode.deliveries.size() == 1);
  CHECK(episode.deliveries[0].entries.empty());
  CHECK(episode.placed_text(episode.deliveries[0]) == prose);
  episode = apply("empty", prose);
  REQUIRE(episode.deliveries.size() == 1);
  CHECK(episode.placed_text(episode.deliveries[0]).empty());
  CHECK_FALSE(episode.deliveries[0].message.has_value());
  CHECK(episode.deliveries[0].consuming_step == 1);
  CHECK(episode.delivery_grade == DeliveryGrade::by_rule);
  CHECK(apply("nothing", prose).deliveries.empty());
  CHECK_FALSE(apply("text", "<notes>\n\n</notes>").deliveries[0].message.has_value());
}

TEST_CASE("delivery rules: of overlapping blocks the outer one counts, and a fallback only where no other does") {
  json outer = notes_set();
  outer["name"] = "outer";
  outer["rules"][0]["block"] = {{"begin", "<all>"}, {"end", "</all>"}};
  json fallback = outer;
  fallback["name"] = "loose";
  fallback["rules"][0]["fallback"] = true;
  const std::string text = std::string("<all>\n- A.\n") + kBlock + "\n</all>\n" + kBlock;
  const auto found = [&](const json& sets) {
    Episode episode = episode_with({Role::system, text});
    DeliveryRules::parse(sets.dump(), "test").apply(episode);
    std::vector<std::string> ids;
    for (const Delivery& delivery : episode.deliveries) ids.emplace_back(delivery.id);
    return ids;
  };
  using Ids = std::vector<std::string>;
  CHECK(found({notes_set(), outer}) == Ids{"outer/notes#1", "mine/notes#1"});
  CHECK(found({outer, notes_set()}) == Ids{"outer/notes#1", "mine/notes#1"});
  CHECK(found({fallback, notes_set()}) == Ids{"mine/notes#1", "mine/notes#2"});
  CHECK(found({fallback}) == Ids{"loose/notes#1"});
}

TEST_CASE("delivery rules: before, after and guard say where a block may stand") {
  const auto count = [](const json& block, const std::string& text) {
    Episode episode = episode_with({Role::system, text});
    return DeliveryRules::parse(changed("/block", block), "test").apply(episode).deliveries;
  };
  json block = {{"begin", "<notes>"}, {"end", "</notes>"}, {"before", "\\s*"}};
  CHECK(count(block, std::string("\n ").substr(0, 1) + kBlock + "\nmore") == 1);
  CHECK(count(block, std::string("x\n") + kBlock) == 0);
  block = {{"begin", "<notes>"}, {"end", "</notes>"}, {"after", "\\s*"}};
  CHECK(count(block, std::string("x\n") + kBlock + "\n") == 1);
  CHECK(count(block, std::string(kBlock) + "\nx") == 0);
  block = {{"begin", "<notes>"}, {"end", "</notes>"}, {"guard", "N1"}};
  CHECK(count(block, std::string(kBlock) + "\n<notes>\n- N2: b\n</notes>") == 1);
  block = {{"begin", "<notes>"}, {"end", "</notes>"}, {"before", "(?s).*known lead\\n"}};
  CHECK(count(block, std::string(9000, 'x') + "\nknown lead\n" + kBlock) == 1);
}

TEST_CASE("delivery rules: line numbers are stripped, and ranges still point into the message") {
  const DeliveryRules rules = DeliveryRules::parse(changed("/strip", " *\\d+\\t"), "test");
  const std::string text = "  1\t<notes>\n  2\t- N1: a b\n  3\t- two\n  4\t  lines\n  5\t</notes>";
  Episode episode = episode_with({Role::system, text});
  rules.apply(episode);
  CHECK(entries_of(episode) == std::vector<std::string>{"N1 [N1;] a b", "- [] two\n  lines"});
  REQUIRE(episode.deliveries.size() == 1);
  CHECK(episode.placed_text(episode.deliveries[0]) == text.substr(4));
  const auto& entries = episode.deliveries[0].entries;
  REQUIRE(entries[0].range.has_value());
  CHECK(text.substr(entries[0].range->begin, 3) == "a b");
  CHECK_FALSE(entries[1].range.has_value());  // its text does not stand there as it is
}

TEST_CASE("delivery rules: decoded texts have their values, and a range where they stand as they are") {
  json set = notes_set();
  json& rule = set["rules"][0];
  rule.erase("block");
  rule["decode"] = {"json", "/answer", "python"};
  rule["entries"] =
      json::parse(R"([{"each": "/*", "text": ["/long", "/short"], "item": "/id", "identifiers": ["/id", "/n"]}])");
  const DeliveryRules rules = DeliveryRules::parse(set.dump(), "test");
  const std::string text = R"({"answer": "[{'id': 'a', 'n': 7, 'short': 'plain'}, {'id': 'b', 'long': ['x', 1]}]"})";
  Episode episode = episode_with({Role::system, text});
  rules.apply(episode);
  CHECK(entries_of(episode) == std::vector<std::string>{"a [a;7;] plain", R"(b [b;] ["x",1])"});
  const auto& entries = episode.deliveries.at(0).entries;
  REQUIRE(entries[0].range.has_value());
  CHECK(text.substr(entries[0].range->begin, 5) == "plain");
  CHECK_FALSE(entries[1].range.has_value());
  for (const char* other : {R"({"error": "no"})", R"({"answer": 5})", R"({"answer": "[1"})", "[", "text"}) {
    INFO(other);
    Episode none = episode_with({Role::system, other});
    CHECK(rules.apply(none).deliveries == 0);
  }
}

TEST_CASE("delivery rules: the canonical text reads back as the same rules") {
  const DeliveryRules all = DeliveryRules::load({"all"});
  const std::string text = all.json();
  const DeliveryRules again = DeliveryRules::parse(text, "stored");
  CHECK(again.json() == text);
  CHECK(again.sets().size() == rule_presets().size());
  Episode first = episode_with({Role::system, "User Memories:\n- none"});
  Episode second = episode_with({Role::system, "User Memories:\n- none"});
  all.apply(first);
  again.apply(second);
  CHECK(test::episode_text(first) == test::episode_text(second));
}

TEST_CASE("delivery rules: presets and files combine, the same set once, and other names are refused") {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("mine.json", notes_set().dump(2));
  CHECK(DeliveryRules::load({"mem0", "mem0", "all"}).sets().size() == rule_presets().size());
  CHECK(DeliveryRules::load({"letta", file, file}).sets().size() == 2);
  json other = notes_set();
  other["description"] = "Others.";
  const std::string second = folder.write("other.json", other.dump());
  CHECK_THROWS_WITH(DeliveryRules::load({file, second}), Catch::Contains("mine") && Catch::Contains("another name"));
  CHECK_THROWS_WITH(DeliveryRules::load({"mem1"}), Catch::Contains("neither a file nor a preset") &&
                                                       Catch::Contains("mem0") && Catch::Contains("zep, all"));
  const std::string large = folder.write("large.json", std::string((std::size_t{1} << 20) + 1, ' '));
  CHECK_THROWS_WITH(DeliveryRules::load({large}), Catch::Contains("larger than"));
}

TEST_CASE("delivery rules: a fault in a file is told with rule, field and reason") {
  using Catch::Contains;
  CHECK_THAT(fault_of("{"), Contains("my.json") && Contains("not valid JSON"));
  CHECK_THAT(fault_of(R"({"schema": "x"})"), Contains("\"schema\" has to be \"memuse-delivery-rules/1\""));
  CHECK_THAT(fault_of(R"({"schema": "memuse-delivery-rules/1", "schema": "x"})"), Contains("stands twice"));
  CHECK_THAT(fault_of(changed("/block/begin", "<notes")), Contains("no fault"));
  CHECK_THAT(fault_of(changed("/block/begin", "(notes")),
             Contains("rule \"notes\"") && Contains("\"begin\"") && Contains("missing )") && Contains("(notes"));
  CHECK_THAT(fault_of(changed("/block/begin", "a\\nb")), Contains("inside one line"));
  CHECK_THAT(fault_of(changed("/block/until", "x")), Contains("\"until\" cannot stand beside \"end\""));
  CHECK_THAT(fault_of(changed("/where/0/role", "assistant")), Contains("known: system, user, tool"));
  CHECK_THAT(fault_of(changed("/where/0/role", "tool")), Contains("has to name the tools"));
  CHECK_THAT(fault_of(changed("/where/0/tools", "x")), Contains("belong to the role tool"));
  CHECK_THAT(fault_of(changed("/where", json::array())), Contains("\"where\""));
  CHECK_THAT(fault_of(changed("/route", "harness")), Contains("known: host, agent"));
  CHECK_THAT(fault_of(changed("/known_from", "rumour")), Contains("known: code, docs, unverified"));
  CHECK_THAT(fault_of(changed("/entries/0/item", "ident")), Contains("names the group \"ident\""));
  CHECK_THAT(fault_of(changed("/entries/0/each", "/a")), Contains("unknown field \"each\""));
  CHECK_THAT(fault_of(changed("/decode", "json")), Contains("entries[0]"));
  CHECK_THAT(fault_of(changed("/decode", json::array({"json", "python"}))), Contains("in turns"));
  CHECK_THAT(fault_of(changed("/decode", "yaml")), Contains("known: json, json_lines, python"));
  CHECK_THAT(fault_of(changed("/sections", json::array({{{"begin", "x"}}}))), Contains("belongs into the sections"));
  CHECK_THAT(fault_of(changed("/colour", "red")), Contains("unknown field \"colour\"; known: name"));
  CHECK_THAT(fault_of(changed("/name", "No Spaces")), Contains("a-z"));
  CHECK_THAT(fault_of(changed("/form", " ")), Contains("\"form\" is empty"));
  CHECK_THAT(fault_of(changed("/fallback", "yes")), Contains("neither true nor false"));
  json twice = notes_set();
  twice["rules"].push_back(twice["rules"][0]);
  CHECK_THAT(fault_of(twice.dump()), Contains("stands twice in this file"));
  CHECK_THAT(fault_of("5"), Contains("is not an object"));
  CHECK_THAT(fault_of("[[]]"), Contains("is not an object"));
  CHECK_THAT(fault_of(std::string(200'000, '[')), Contains("my.json"));
}

TEST_CASE("delivery rules: every preset is the file of the same name, and says how sure it is") {
  const std::filesystem::path folder = std::filesystem::path(MEMUSE_SOURCE_DIR) / "rules";
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files += file.path().extension() == ".json";
  CHECK(files == rule_presets().size());
  for (const EmbeddedFile& preset : rule_presets()) {
    INFO(preset.name);
    CHECK(test::read_file(folder / (std::string(preset.name) + ".json")) == preset.text);
    const DeliveryRules rules = DeliveryRules::load({std::string(preset.name)});
    REQUIRE(rules.sets().size() == 1);
    CHECK(rules.sets()[0].name == preset.name);
  }
  CHECK(DeliveryRules::load({"wikitrace"}).sets()[0].known_from == FormSource::unverified);
  CHECK(DeliveryRules::load({"reasoningbank"}).sets()[0].known_from == FormSource::code);
}

TEST_CASE("delivery rules: read by the pipeline, and the same when the episode is read again") {
  const test::TemporaryFolder folder;
  EpisodeBuilder builder = unrecorded();
  builder.message("m1", std::string("Hi.\n") + kBlock, {.role = Role::system}).steps(2);
  builder.rewrite("m1", kBlock).step();
  const std::string trace = write_canonical_trace(builder.build());
  const std::string path = folder.write("a.jsonl", trace);
  PipelineOptions options;
  options.read.rules = std::make_shared<const DeliveryRules>(notes_rules());
  std::vector<Episode> episodes;
  read_inputs(
      {{path, true, false}}, options, [&](Episode&& episode) { episodes.push_back(std::move(episode)); },
      [](FileReport&& report) { CHECK(report.diagnostics.empty()); });
  REQUIRE(episodes.size() == 1);
  CHECK(episodes[0].deliveries.size() == 2);
  CHECK(episodes[0].delivery_grade == DeliveryGrade::by_rule);
  Fault fault = Fault::source_missing;
  std::string detail;
  const auto again = EpisodeRereader().read(episodes[0].source, options.read, fault, detail);
  REQUIRE(again.has_value());
  CHECK(test::episode_text(*again) == test::episode_text(episodes[0]));
  // Written as a trace, the deliveries are annotations like any others.
  const std::string written = write_canonical_trace(episodes[0]);
  const auto read = read_canonical_trace(written, {}, nullptr);
  REQUIRE(read.size() == 1);
  CHECK(read[0].delivery_grade == DeliveryGrade::by_rule);
  REQUIRE(read[0].deliveries.size() == 2);
  CHECK(read[0].placed_text(read[0].deliveries[0]) == kBlock);
  CHECK(read[0].deliveries[1].consuming_step == 3);
}

TEST_CASE("delivery rules: more blocks or entries than a rule may have is told, and none is taken", "[hostile]") {
  const test::TemporaryFolder folder;
  std::string text = "<notes>\n";
  for (int i = 0; i < 10'001; ++i) text += "- n\n";
  text += "</notes>";
  Episode episode = episode_with({Role::system, text});
  const RulesApplied applied = notes_rules().apply(episode);
  CHECK(applied.deliveries == 0);
  CHECK(applied.overflowing == std::vector<std::string>{"mine/notes"});
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  EpisodeBuilder builder = unrecorded();
  builder.message("m1", text, {.role = Role::system}).step();
  const std::string trace = write_canonical_trace(builder.build());
  PipelineOptions options;
  options.read.rules = std::make_shared<const DeliveryRules>(notes_rules());
  std::vector<Diagnostic> diagnostics;
  read_inputs(
      {{folder.write("a.jsonl", trace), true, false}}, options, [](Episode&&) {},
      [&](FileReport&& report) { diagnostics = std::move(report.diagnostics); });
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].fault == Fault::rule_overflow);
  CHECK(diagnostics[0].line == 1);
}

TEST_CASE("delivery rules: ten megabytes of near matches are read by all presets in little time", "[hostile]") {
  const DeliveryRules all = DeliveryRules::load({"all"});
  std::string marks;
  for (const char* mark :
       {"<relevant-memories>\n", "User Memories:\n", "<memory_blocks>\n<persona>\n<value>\n", "# Memory Item 1\n",
        "Contents of /a:\n", "<FACTS>\n", "talk start time:1 memory content: x\n", "Experience #1 (id=a, repo=b)\n",
        "<system-reminder>\n", "<memory>\n", "{\"results\": [\n"}) {
    marks += mark;
  }
  std::string text;
  while (text.size() < 10'000'000) text += marks;
  for (const Role role : {Role::system, Role::user}) {
    Episode episode = episode_with({role, text});
    const auto begin = std::chrono::steady_clock::now();
    all.apply(episode);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    INFO(seconds << " s");
    CHECK(seconds < 60);
  }
}

}  // namespace memuse::ingest
