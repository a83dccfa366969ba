#include "ingest/canonical_trace_writer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../support/data.h"
#include "../support/episode_text.h"
#include "../support/random_trace.h"
#include "ingest/canonical_trace.h"

namespace {

using namespace memuse;
using ingest::read_canonical_trace;
using ingest::write_canonical_trace;

std::string write_all(const std::vector<Episode>& episodes) {
  std::string all;
  for (const Episode& episode : episodes) all += write_canonical_trace(episode);
  return all;
}

/// read(write(read(x))) == read(x), and write(read(write(e))) == write(e) byte for byte.
void check_round_trip(const std::string& trace) {
  const auto first = read_canonical_trace(trace, {});
  const std::string written = write_all(first);
  std::vector<Diagnostic> diagnostics;
  const auto second = read_canonical_trace(written, {}, &diagnostics);
  REQUIRE(second.size() == first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].id);
    CHECK(test::first_difference(first[i], second[i]).empty());
    INFO(test::first_difference(first[i], second[i]));
    REQUIRE(test::episode_text(first[i]) == test::episode_text(second[i]));
  }
  REQUIRE(write_all(second) == written);
}

}  // namespace

TEST_CASE("a trace in the writer's own form is printed byte for byte") {
  const std::string trace =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r","store":"default","visibility":"rebuilt","delivery_grade":"by_rule","position":4,"repo":"shop","domain":"web","group":"g","tier":"hard","model":"m","seed":"7","condition":"plain","tags":{"a":"1","b":"2"},"task":{"text":"Mend the roof"},"probe":{"dependent":true,"gold":["12.50"],"stale":["11"],"pre_satisfied":false,"memory_had_fact":true,"memory_utilized":false,"corruption":{"mode":"swap","rate":0.1}},"outcome":{"resolved":true,"reward":0.75,"source":"grader"},"totals":{"calls":9,"usage":{"input":700,"cached_input":20,"output":30},"cost_usd":0.25,"seconds":61.5},"reference":{"kind":"patch","text":"+1"}}
{"type":"message","id":"s","role":"system","origin":"system","text":"Be brief."}
{"type":"message","id":"h","role":"user","origin":"memory","text":"Roof tiles are red. Old hint.","transient":true}
{"type":"search","id":"q1","query":"roof","returned":[{"item":"i1","version":"v1","score":0.3}],"matched":5,"status":"completed"}
{"type":"delivery","id":"d1","route":"host","form":"recall","message":"h","range":[0,19],"entries":[{"item":"i1","version":"v1","text":"Roof tiles are red.","identifiers":["i1","tiles"],"range":[0,19]}],"search":"q1","tokens":9}
{"type":"step","step":1,"id":"r1","response":"Looking.","reasoning":"Why not","actions":[{"id":"a1","name":"look","arguments":{"at": 1.10, "big":12345678901234567890123}},{"name":"wait"}],"results":[{"id":"o1","action":"a1","text":"red"}],"usage":{"input":10,"cached_input":4,"output":3},"cost_usd":0.1,"time":"2026-02-03T04:05:06Z","model":"m2"}
{"type":"rewrite","message":"o1","text":"[cut]"}
{"type":"memory","op":"update","item":"i1","version":"v2","text":"Roof tiles are blue.","from":["v1"],"operation":"op9","steps":[1],"at":"2026-02-03T04:05:07Z"}
{"type":"side_call","purpose":"extract","usage":{"output":2},"cost_usd":0.01,"model":"small"}
{"type":"drop","messages":["s","r1"]}
{"type":"step","step":2,"response":"Done.","persist":false}
{"type":"delivery","id":"d2","route":"agent","form":"list","entries":[]}
{"type":"end","reason":"finished"}
)";
  std::vector<Diagnostic> diagnostics;
  const auto episodes = read_canonical_trace(trace, {}, &diagnostics);
  REQUIRE(diagnostics.empty());
  REQUIRE(episodes.size() == 1);
  CHECK(write_canonical_trace(episodes[0]) == trace);
}

TEST_CASE("drops move to right before the step that no longer shows their messages") {
  const std::string head =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r"})"
      "\n";
  const auto written = [&](const std::string& lines) {
    std::string text = write_canonical_trace(read_canonical_trace(head + lines, {}).at(0));
    return text.substr(text.find('\n') + 1);
  };
  const std::string a = R"({"type":"message","id":"a","role":"user","origin":"other","text":"A"})"
                        "\n";
  const std::string hint = R"({"type":"message","id":"h","role":"user","origin":"other","text":"H","transient":true})"
                           "\n";
  const std::string drop = R"({"type":"drop","messages":["a"]})"
                           "\n";
  const std::string side = R"({"type":"side_call","purpose":"p"})"
                           "\n";
  const std::string step = R"({"type":"step","step":1,"response":"R"})"
                           "\n";
  CHECK(written(a + drop + side + step) == a + side + drop + step);
  CHECK(written(a + step + drop + side) == a + step + side + drop);
  CHECK(written(a + drop + drop + step) == a + drop + step);
  SECTION("a transient message needs none, unless it goes before its only step") {
    CHECK(written(hint + step) == hint + step);
    const std::string drop_hint = R"({"type":"drop","messages":["h"]})"
                                  "\n";
    CHECK(written(hint + drop_hint + step) == hint + drop_hint + step);
    CHECK(written(hint + step + drop_hint) == hint + step);
  }
}

TEST_CASE("a message without an id gets one when a line has to name it") {
  Episode episode;
  episode.id = "e";
  episode.task_id = "t";
  episode.configuration = "c";
  episode.run = "r";
  Message taken;
  taken.id = "message-2";
  taken.order = 1;
  taken.first_step = 1;
  taken.versions = {{1, 1, episode.texts.intern("first")}};
  Message nameless;
  nameless.order = 2;
  nameless.first_step = 1;
  nameless.versions = {{2, 1, episode.texts.intern("second")}, {3, 1, episode.texts.intern("changed")}};
  episode.messages = {taken, nameless};
  episode.lines = 3;
  const std::string written = write_canonical_trace(episode);
  CHECK(written.find(R"({"type":"rewrite","message":"message-2'","text":"changed"})") != std::string::npos);
  const auto again = read_canonical_trace(written, {});
  REQUIRE(again.size() == 1);
  CHECK(write_canonical_trace(again[0]) == written);
}

TEST_CASE("text that is no UTF-8 and arguments over several lines still make a valid trace") {
  Episode episode;
  episode.id = "e";
  episode.task_id = "t\xFF";
  episode.configuration = "c";
  episode.run = "r";
  Step step;
  step.order = 1;
  step.actions.push_back({"a", "n", "{\n  \"k\": \"v\"\r\n}"});
  episode.steps.push_back(step);
  std::vector<Diagnostic> diagnostics;
  const auto again = read_canonical_trace(write_canonical_trace(episode), {}, &diagnostics);
  CHECK(diagnostics.empty());
  REQUIRE(again.size() == 1);
  CHECK(again[0].task_id == "t\xEF\xBF\xBD");
  CHECK(again[0].steps.at(0).actions.at(0).arguments == "{   \"k\": \"v\"  }");
}

TEST_CASE("random episodes survive writing and reading") {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    test::RandomTrace random(seed);
    check_round_trip(random.episode("e1") + random.episode("e2"));
  }
}

TEST_CASE("traces of the reference data survive writing and reading") {
  MEMUSE_NEEDS_SHARED_DATA();
  std::size_t traces = 0;
  for (const char* folder : {"spans-worked", "spans-random"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::shared_data() / folder)) {
      if (entry.path().filename().string().starts_with("expected")) continue;
      INFO(entry.path());
      check_round_trip(test::read_file(entry.path()));
      ++traces;
    }
  }
  CHECK(traces >= 4);
}
