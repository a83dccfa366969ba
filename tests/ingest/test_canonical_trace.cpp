#include "ingest/canonical_trace.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/text.h"

namespace memuse::ingest {
namespace {

const std::string kOpen =
    R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r"})"
    "\n";

std::string message(const std::string& id, const std::string& text, const std::string& more = "") {
  return R"({"type":"message","id":")" + id + R"(","role":"user","text":")" + text + "\"" + more + "}\n";
}

std::string step(int number, const std::string& more = "") {
  return R"({"type":"step","step":)" + std::to_string(number) + more + "}\n";
}

/// The only episode of a trace without faults.
Episode read_clean(const std::string& lines) {
  std::vector<Diagnostic> diagnostics;
  std::vector<Episode> episodes = read_canonical_trace(kOpen + lines, {}, &diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) UNSCOPED_INFO(to_line(diagnostic));
  REQUIRE(diagnostics.empty());
  REQUIRE(episodes.size() == 1);
  return std::move(episodes[0]);
}

TEST_CASE("an episode line fills in what an episode is") {
  const auto episodes = read_canonical_trace(
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e1","task_id":"t1","configuration":"mem-a","run":2,"store":"s","visibility":"rebuilt","delivery_grade":"none","position":3,"repo":"shop","domain":"web","group":4,"tier":"hard","model":"m","seed":11,"condition":"plain","tags":{"z":"1","a":"2"},"task":{"text":"Do it"},"probe":{"dependent":true,"gold":["x",1.50],"stale":[],"pre_satisfied":false,"memory_had_fact":true,"memory_utilized":false,"corruption":{"mode":"swap","rate":0.25}},"outcome":{"resolved":null,"reward":0.5,"source":"grader"},"reference":{"kind":"patch","text":"+a"}})",
      {});
  REQUIRE(episodes.size() == 1);
  const Episode& e = episodes[0];
  CHECK(e.id == "e1");
  CHECK(e.task_id == "t1");
  CHECK(e.configuration == "mem-a");
  CHECK(e.run == "2");
  CHECK(e.store == "s");
  CHECK(e.visibility == VisibilityGrade::rebuilt);
  CHECK(e.delivery_grade == DeliveryGrade::none);
  CHECK(e.position == 3U);
  CHECK(e.repo == "shop");
  CHECK(e.domain == "web");
  CHECK(e.group == "4");
  CHECK(e.tier == "hard");
  CHECK(e.model == "m");
  CHECK(e.seed == "11");
  CHECK(e.condition == "plain");
  REQUIRE(e.tags.size() == 2);
  CHECK(e.tags[0].key == "a");
  CHECK(e.tags[1].value == "1");
  CHECK(e.task_text == "Do it");
  REQUIRE(e.probe);
  CHECK(e.probe->dependent == true);
  CHECK(e.probe->gold == std::vector<std::string_view>{"x", "1.50"});
  CHECK(e.probe->stale.empty());
  CHECK(e.probe->memory_utilized == false);
  REQUIRE(e.probe->corruption);
  CHECK(e.probe->corruption->mode == "swap");
  CHECK(e.probe->corruption->rate == 0.25);
  REQUIRE(e.outcome);
  CHECK(e.outcome->resolved == std::nullopt);
  CHECK(e.outcome->reward == 0.5);
  CHECK(e.outcome->source == "grader");
  REQUIRE(e.reference);
  CHECK(e.reference->text == "+a");
  CHECK_FALSE(e.end_reason);
}

TEST_CASE("what an episode line leaves out has the format's defaults") {
  const Episode e = read_clean("");
  CHECK(e.store == "default");
  CHECK(e.visibility == VisibilityGrade::exact);
  CHECK(e.delivery_grade == DeliveryGrade::annotated);
  CHECK_FALSE(e.position);
  CHECK_FALSE(e.probe);
  CHECK_FALSE(e.outcome);
  CHECK_FALSE(e.reference);
  CHECK(e.steps.empty());
}

TEST_CASE("names from the command line are for traces that name none") {
  const std::string bare = R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t"})";
  const ReadOptions options{.configuration = "given", .run = "r9"};
  CHECK(read_canonical_trace(bare, options).at(0).configuration == "given");
  CHECK(read_canonical_trace(bare, options).at(0).run == "r9");
  CHECK(read_canonical_trace(kOpen, options).at(0).configuration == "c");
}

TEST_CASE("every record type is read") {
  const Episode e = read_clean(
      R"({"type":"message","id":"s","role":"system","origin":"system","text":"Be brief."}
{"type":"message","id":"h","role":"user","origin":"memory","text":"Tiles are red. Old.","transient":true}
{"type":"search","id":"q","query":"roof","returned":[{"item":"i1","version":2,"score":0.5},{"item":7}],"matched":5,"status":"completed"}
{"type":"delivery","id":"d1","route":"host","form":"recall","message":"h","range":[0,14],"entries":[{"item":"i1","version":"v1","text":"Tiles are red.","identifiers":["i1",8],"range":[0,14]},{"text":"Old."}],"search":"q","tokens":9}
{"type":"step","step":1,"id":"r1","response":"Looking.","reasoning":"Why not","actions":[{"id":"a1","name":"look","arguments":{"at": [1.10] }},{"name":"say","arguments":"a \"b\""},{"name":"wait"},{"name":"ok","arguments":true},{"name":"n","arguments":1.50}],"results":[{"id":"o1","action":"a1","text":"red"}],"usage":{"input":10,"cached_input":4,"output":3},"cost_usd":0.1,"time":"2026-02-03T04:05:06Z","model":"m2"}
{"type":"rewrite","message":"o1","text":"[cut]"}
{"type":"memory","op":"update","item":"i1","version":2,"text":"Blue.","from":["v1"],"operation":"op9","steps":[1],"at":"2026-02-03T04:05:07Z"}
{"type":"side_call","purpose":"extract","usage":{"output":2},"cost_usd":0.01,"model":"small"}
{"type":"drop","messages":["s"]}
{"type":"delivery","id":"d2","route":"agent","form":"list","entries":[]}
{"type":"end","reason":"finished"}
)");
  REQUIRE(e.messages.size() == 4);
  CHECK(e.messages[0].role == Role::system);
  CHECK(e.messages[1].origin == Origin::memory);
  CHECK(e.messages[1].transient);
  CHECK(e.messages[2].role == Role::assistant);
  CHECK(e.messages[2].of_step == 1);
  CHECK(e.messages[3].role == Role::tool);
  CHECK(e.messages[3].versions.size() == 2);

  REQUIRE(e.searches.size() == 1);
  CHECK(e.searches[0].query == "roof");
  CHECK(e.searches[0].step == 1);
  CHECK(e.searches[0].matched == 5U);
  CHECK(e.searches[0].returned.at(0).version == "2");
  CHECK(e.searches[0].returned.at(0).score == 0.5);
  CHECK(e.searches[0].returned.at(1).item == "7");

  REQUIRE(e.deliveries.size() == 2);
  const Delivery& d = e.deliveries[0];
  CHECK(d.route == Route::host);
  CHECK(d.form == "recall");
  CHECK(d.consuming_step == 1);
  CHECK(d.message == 1U);
  CHECK(d.range == ByteRange{0, 14});
  CHECK(d.search == "q");
  CHECK(d.tokens == 9U);
  CHECK(d.entries.at(0).identifiers == std::vector<std::string_view>{"i1", "8"});
  CHECK(d.entries.at(0).range == ByteRange{0, 14});
  CHECK_FALSE(d.entries.at(1).item);
  CHECK(e.placed_text(d) == "Tiles are red.");
  CHECK(e.deliveries[1].consuming_step == kNever);
  CHECK_FALSE(e.deliveries[1].message);

  REQUIRE(e.steps.size() == 1);
  const Step& s = e.steps[0];
  CHECK(s.response == "Looking.");
  CHECK(s.reasoning == "Why not");
  REQUIRE(s.actions.size() == 5);
  CHECK(s.actions[0].arguments == R"({"at": [1.10] })");
  CHECK(s.actions[1].arguments == R"("a \"b\"")");
  CHECK(s.actions[2].arguments == "null");
  CHECK(s.actions[3].arguments == "true");
  CHECK(s.actions[4].arguments == "1.50");
  CHECK(s.results.at(0).message == 3);
  CHECK(s.results.at(0).action == "a1");
  CHECK(s.usage.input == 10U);
  CHECK(s.usage.cached_input == 4U);
  CHECK(s.cost_usd == 0.1);
  CHECK(s.model == "m2");

  REQUIRE(e.memory_operations.size() == 1);
  const MemoryOperation& m = e.memory_operations[0];
  CHECK(m.op == MemoryOp::update);
  CHECK(m.version == "2");
  CHECK(m.text == "Blue.");
  CHECK(m.from == std::vector<std::string_view>{"v1"});
  CHECK(m.steps == std::vector<std::uint32_t>{1});
  CHECK(m.after_step == 1);

  REQUIRE(e.side_calls.size() == 1);
  CHECK(e.side_calls[0].purpose == "extract");
  CHECK(e.side_calls[0].usage.output == 2U);
  CHECK(e.side_calls[0].order == 8);
  CHECK(e.end_reason == "finished");
  CHECK(e.lines == 11);
}

TEST_CASE("arguments with a lone surrogate are valid JSON afterwards") {
  std::vector<Diagnostic> diagnostics;
  const auto episodes = read_canonical_trace(
      kOpen + step(1, R"(,"actions":[{"name":"n","arguments":{"k" : "\ud800","p":"\ud835\udc9c", "n":1.50}}])"), {},
      &diagnostics);
  CHECK(episodes.at(0).steps.at(0).actions.at(0).arguments == R"({"k":")"
                                                              "\xEF\xBF\xBD"
                                                              R"(","p":"𝒜","n":1.50})");
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].fault == Fault::lone_surrogate);
}

/// "first-end" of a message by id.
std::string visibility(const Episode& episode, const std::string& id) {
  for (const Message& m : episode.messages) {
    if (m.id == id)
      return std::to_string(m.first_step) + "-" + (m.end_step == kNever ? "" : std::to_string(m.end_step));
  }
  return "none";
}

TEST_CASE("a message is visible from the next step until it is dropped") {
  const Episode e = read_clean(message("a", "A") + message("once", "O", R"(,"transient":true)") + step(1) +
                               message("b", "B") + step(2) +
                               R"({"type":"drop","messages":["a"]})"
                               "\n" +
                               step(3) + message("c", "C") +
                               R"({"type":"drop","messages":["c","once"]})"
                               "\n" +
                               step(4) + message("late", "L"));
  CHECK(visibility(e, "a") == "1-3");
  CHECK(visibility(e, "once") == "1-2");
  CHECK(visibility(e, "b") == "2-");
  CHECK(visibility(e, "c") == "4-4");
  CHECK(visibility(e, "late") == "5-");
  CHECK(e.messages[0].visible_at(2));
  CHECK_FALSE(e.messages[0].visible_at(3));
}

TEST_CASE("a transient message can be dropped before its only step") {
  const Episode e = read_clean(message("h", "H", R"(,"transient":true)") +
                               R"({"type":"drop","messages":["h"]})"
                               "\n" +
                               step(1));
  CHECK(visibility(e, "h") == "1-1");
}

TEST_CASE("what a step leaves is visible from the next one, unless it does not persist") {
  const Episode e =
      read_clean(step(1, R"(,"id":"r1","response":"R","results":[{"id":"o1","text":"O"}])") +
                 step(2, R"(,"id":"r2","response":"R","results":[{"id":"o2","text":"O"}],"persist":false)") +
                 R"({"type":"drop","messages":["r1"]})"
                 "\n" +
                 step(3));
  CHECK(visibility(e, "r1") == "2-3");
  CHECK(visibility(e, "o1") == "2-");
  CHECK(visibility(e, "r2") == "3-3");
  CHECK(visibility(e, "o2") == "3-3");
  CHECK_FALSE(e.steps[1].persist);
}

TEST_CASE("a step without response and id leaves no message, one with either does") {
  const Episode e = read_clean(step(1) + step(2, R"(,"response":"R")") + step(3, R"(,"id":"r3")"));
  CHECK_FALSE(e.steps[0].response_message);
  REQUIRE(e.steps[1].response_message);
  CHECK(e.messages[*e.steps[1].response_message].id.empty());
  REQUIRE(e.steps[2].response_message);
  CHECK(e.texts[e.messages[*e.steps[2].response_message].versions[0].text].empty());
}

TEST_CASE("a rewrite counts from the next step on and for deliveries after its line") {
  const Episode e = read_clean(message("a", "old text") +
                               R"({"type":"delivery","id":"d1","route":"host","form":"f","message":"a","entries":[]})"
                               "\n" +
                               R"({"type":"rewrite","message":"a","text":"new text"})"
                               "\n" +
                               R"({"type":"delivery","id":"d2","route":"host","form":"f","message":"a","entries":[]})"
                               "\n" +
                               step(1) +
                               R"({"type":"rewrite","message":"a","text":"last text"})"
                               "\n" +
                               step(2));
  const Message& a = e.messages[0];
  REQUIRE(a.versions.size() == 3);
  CHECK(a.versions[1].from_step == 1);
  CHECK(a.versions[2].from_step == 2);
  CHECK(e.texts[a.text_at_step(1)] == "new text");
  CHECK(e.texts[a.text_at_step(2)] == "last text");
  CHECK(e.placed_text(e.deliveries[0]) == "old text");
  CHECK(e.placed_text(e.deliveries[1]) == "new text");
}

TEST_CASE("a delivery's consuming step is the next step line") {
  const auto delivery = [](const std::string& id) {
    return R"({"type":"delivery","id":")" + id +
           R"(","route":"agent","form":"f","entries":[]})"
           "\n";
  };
  const Episode e = read_clean(delivery("a") + delivery("b") + step(1) + delivery("c") + step(2) + delivery("d"));
  CHECK(e.deliveries[0].consuming_step == 1);
  CHECK(e.deliveries[1].consuming_step == 1);
  CHECK(e.deliveries[2].consuming_step == 2);
  CHECK(e.deliveries[3].consuming_step == kNever);
}

TEST_CASE("a file holds any number of episodes, with their places") {
  const std::string second =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e2","task_id":"t","configuration":"c","run":"r"})"
      "\r\n";
  const std::string first = kOpen + step(1) + "\n" +
                            R"({"type":"end"})"
                            "\n";
  std::vector<Diagnostic> diagnostics;
  const auto episodes =
      read_canonical_trace("\xEF\xBB\xBF" + first + "\n  \n" + second + "\n" + kOpen, {}, &diagnostics);
  CHECK(diagnostics.empty());
  REQUIRE(episodes.size() == 3);
  CHECK(episodes[0].end_reason == "");
  CHECK(episodes[0].source.line == 1);
  CHECK(episodes[0].source.byte_begin == 3);
  CHECK(episodes[0].source.byte_end == 3 + first.size());
  CHECK(episodes[0].source.sha256 == sha256_hex(first));
  CHECK(episodes[1].id == "e2");
  CHECK(episodes[1].source.line == 7);
  CHECK(episodes[1].source.byte_begin == 3 + first.size() + 4);
  CHECK(episodes[1].source.sha256 == sha256_hex(second + "\n"));
  CHECK(episodes[2].source.line == 9);
  CHECK(episodes[2].source.format == "memuse-trace");
}

TEST_CASE("an episode's views survive moving it") {
  std::vector<Episode> episodes = read_canonical_trace(kOpen + message("a", "some text"), {});
  const Episode moved = std::move(episodes.at(0));
  episodes.clear();
  CHECK(moved.id == "e");
  CHECK(moved.texts[moved.messages.at(0).versions.at(0).text] == "some text");
}

}  // namespace
}  // namespace memuse::ingest
