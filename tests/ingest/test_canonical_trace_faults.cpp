#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ingest/canonical_trace.h"

// Every fault that the reader of canonical traces can report, with its exact place, and what becomes of the rest.

namespace memuse::ingest {
namespace {

const std::string kOpening =
    R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r"})"
    "\n";
const std::string kOpenSecond =
    R"({"type":"episode","schema":"memuse-trace/1","episode":"e2","task_id":"t","configuration":"c","run":"r"})"
    "\n";
const std::string kMessage = R"({"type":"message","id":"a","role":"user","text":"0123456789é"})"
                             "\n";
const std::string kStep = R"({"type":"step","step":1,"id":"r1","response":"R"})"
                          "\n";

struct Read {
  std::vector<Episode> episodes;
  std::vector<Diagnostic> diagnostics;
};

Read read(const std::string& trace, const ReadOptions& options = {}) {
  Read all;
  all.episodes = read_canonical_trace(trace, options, &all.diagnostics);
  for (const Diagnostic& diagnostic : all.diagnostics) UNSCOPED_INFO(to_line(diagnostic));
  return all;
}

/// Reads `before`, then `bad`, then `after`; the only diagnostic must be at `bad`.
Read read_one_fault(const std::string& before, const std::string& bad, const std::string& after, Severity severity,
                    Fault fault, std::uint64_t byte_in_line = 0) {
  Read all = read(before + bad + after);
  REQUIRE(all.diagnostics.size() == 1);
  const Diagnostic& diagnostic = all.diagnostics[0];
  CHECK(fault_name(diagnostic.fault) == fault_name(fault));
  CHECK(severity_name(diagnostic.severity) == severity_name(severity));
  CHECK(diagnostic.line == 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')));
  CHECK(diagnostic.byte == before.size() + byte_in_line);
  CHECK(diagnostic.file == "<memory>");
  return all;
}

/// The line `bad` is set aside with an error, the step after it still counts. Says whether the visible input is now
/// known in part only.
bool sets_line_aside(const std::string& bad, Fault fault, std::uint64_t byte_in_line = 0) {
  INFO(bad.substr(0, 200));
  const Read all = read_one_fault(kOpening + kMessage, bad + "\n", kStep, Severity::error, fault, byte_in_line);
  REQUIRE(all.episodes.size() == 1);
  CHECK(all.episodes[0].messages.size() == 2);
  CHECK(all.episodes[0].steps.size() == 1);
  CHECK(all.episodes[0].deliveries.empty());
  CHECK(all.episodes[0].memory_operations.empty());
  return all.episodes[0].visibility == VisibilityGrade::partial;
}

/// The line is used; what is wrong in it is told.
Episode warns(const std::string& bad, Fault fault, Severity severity = Severity::warning) {
  INFO(bad);
  Read all = read_one_fault(kOpening + kMessage, bad + "\n", "", severity, fault);
  REQUIRE(all.episodes.size() == 1);
  CHECK(all.episodes[0].visibility == VisibilityGrade::exact);
  return std::move(all.episodes[0]);
}

TEST_CASE("a line that is no record is set aside") {
  CHECK(sets_line_aside(R"({"type":"message","id":"b",,})", Fault::invalid_json, 27));
  CHECK(sets_line_aside(R"({"type":"message","id":01})", Fault::invalid_json, 23));
  CHECK(sets_line_aside("{\"type\":\"message\",\"id\":\"\xFF\"}", Fault::invalid_utf8, 24));
  CHECK(sets_line_aside(R"({"type":"end"} {"type":"end"})", Fault::trailing_content, 15));
  CHECK(sets_line_aside("[1]", Fault::not_an_object));
  CHECK(sets_line_aside(R"({"type":"message","x":)" + std::string(64, '[') + std::string(64, ']') + "}",
                        Fault::nesting_too_deep, 22 + 63));
  CHECK(sets_line_aside("{}", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":7})", Fault::missing_field));
}

TEST_CASE("a record without what it needs is set aside") {
  CHECK(sets_line_aside(R"({"type":"message","role":"user","text":"x"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"message","id":"b","role":"user"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"message","id":"b","role":"user","text":null})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"message","id":3,"role":"user","text":"x"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"message","id":"b","text":"x"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"message","id":"b","role":"robot","text":"x"})", Fault::unknown_value));
  CHECK(sets_line_aside(R"({"type":"message","id":"a","role":"user","text":"x"})", Fault::duplicate_message));
  CHECK(sets_line_aside(R"({"type":"step","step":1,"id":"a"})", Fault::duplicate_message));
  CHECK(sets_line_aside(R"({"type":"step","step":1,"id":"b","results":[{"id":"b","text":""}]})",
                        Fault::duplicate_message));
  CHECK(sets_line_aside(R"({"type":"step","step":1,"results":[{"id":"a","text":""}]})", Fault::duplicate_message));
  CHECK(sets_line_aside(R"({"type":"rewrite","message":"a"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"rewrite","message":"zz","text":"x"})", Fault::unknown_message));
  CHECK(sets_line_aside(R"({"type":"drop"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"delivery","route":"host"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"delivery","id":"d"})", Fault::missing_field));
  CHECK(sets_line_aside(R"({"type":"delivery","id":"d","route":"post"})", Fault::unknown_value));
  CHECK(sets_line_aside(R"({"type":"delivery","id":"d","route":"host","message":"zz"})", Fault::unknown_message));
  // These say nothing about what the model saw.
  CHECK_FALSE(sets_line_aside(R"({"type":"search"})", Fault::missing_field));
  CHECK_FALSE(sets_line_aside(R"({"type":"memory","item":"i"})", Fault::missing_field));
  CHECK_FALSE(sets_line_aside(R"({"type":"memory","op":"burn","item":"i"})", Fault::unknown_value));
}

TEST_CASE("a record with a fault in an optional part is used") {
  CHECK(warns(R"({"type":"message","id":"b","role":"user","text":"x","origin":"moon"})", Fault::unknown_value)
            .messages.at(1)
            .origin == Origin::other);
  CHECK(warns(R"({"type":"message","id":"b","role":"user","text":"x","transient":"yes"})", Fault::wrong_type)
            .messages.size() == 2);
  CHECK(warns(R"({"type":"drop","messages":["a","zz"]})", Fault::unknown_message).messages.at(0).end_step == 1);
  CHECK(warns(R"({"type":"drop","messages":["a",{}]})", Fault::wrong_type).messages.at(0).end_step == 1);
  CHECK(warns(R"({"type":"step"})", Fault::step_number).steps.size() == 1);
  CHECK(warns(R"({"type":"step","step":7})", Fault::step_number).steps.size() == 1);
  CHECK(warns(R"({"type":"step","step":1,"actions":[5,{"name":"n"}]})", Fault::wrong_type).steps.at(0).actions.size() ==
        1);
  CHECK(warns(R"({"type":"step","step":1,"results":["x",{"id":"o","text":"y"}]})", Fault::wrong_type)
            .steps.at(0)
            .results.size() == 1);
  CHECK(warns(R"({"type":"step","step":1,"results":{}})", Fault::wrong_type).steps.at(0).results.empty());
  CHECK(warns(R"({"type":"step","step":1,"usage":{"input":-1,"output":2}})", Fault::wrong_type)
            .steps.at(0)
            .usage.output == 2U);
  CHECK(warns(R"({"type":"step","step":1,"cost_usd":"1"})", Fault::wrong_type).steps.at(0).cost_usd == std::nullopt);
  CHECK(warns(R"({"type":"search","id":"q","status":"odd"})", Fault::unknown_value).searches.at(0).completed == false);
  CHECK(warns(R"({"type":"search","id":"q"})", Fault::unknown_value).searches.at(0).completed == false);
  CHECK(warns(R"({"type":"search","id":"q","status":"completed","returned":[1]})", Fault::wrong_type)
            .searches.at(0)
            .returned.empty());
  CHECK(warns(R"({"type":"memory","op":"create","item":"i","steps":[1,"x"]})", Fault::wrong_type)
            .memory_operations.at(0)
            .steps == std::vector<std::uint32_t>{1});
  CHECK(warns(R"({"type":"message","id":"b","role":"user","text":"\ud800"})", Fault::lone_surrogate).messages.size() ==
        2);
  const Episode twice = warns(R"({"type":"message","id":"b","id":"c","role":"user","text":"x"})", Fault::duplicate_key);
  CHECK(twice.messages.at(1).id == "b");
}

TEST_CASE("faults of deliveries and their entries") {
  const auto delivery = [](const std::string& more) {
    return R"({"type":"delivery","id":"d","route":"host","form":"f","message":"a")" + more + "}";
  };
  for (const char* range :
       {"[0]", "[0,1,2]", "[2,1]", "[0,13]", "[0,11]", "[11,12]", "[-1,2]", "[0,\"2\"]", "[1.5,2]"}) {
    INFO(range);
    const Episode whole = warns(delivery(std::string(R"(,"entries":[],"range":)") + range), Fault::bad_range);
    CHECK_FALSE(whole.deliveries.at(0).range);
    const Episode part =
        warns(delivery(std::string(R"(,"entries":[{"text":"01","range":)") + range + "}]"), Fault::bad_range);
    CHECK_FALSE(part.deliveries.at(0).entries.at(0).range);
  }
  CHECK(read(kOpening + kMessage + delivery(R"(,"range":[10,12])")).diagnostics.empty());
  CHECK(warns(R"({"type":"delivery","id":"d","route":"host","range":[0,1]})", Fault::bad_range).deliveries.size() == 1);
  // A faulty entry keeps its place, so that indexes stay those of the trace.
  CHECK(warns(delivery(R"(,"entries":[{"item":"i"},{"text":"01"}])"), Fault::missing_field, Severity::error)
            .deliveries.at(0)
            .entries.size() == 2);
  CHECK(warns(delivery(R"(,"entries":["i",{"text":"01"}])"), Fault::missing_field, Severity::error)
            .deliveries.at(0)
            .entries.size() == 2);
  CHECK(warns(delivery(R"(,"entries":[{"text":" \t"},{"text":"01"}])"), Fault::blank_entry)
            .deliveries.at(0)
            .entries.size() == 2);
}

TEST_CASE("a delivery with the id of an earlier one is kept under a name of its own") {
  const std::string delivery =
      R"({"type":"delivery","id":"d","route":"host","form":"f","message":"a","entries":[{"item":"i","text":"0123"}]})"
      "\n";
  const Read all =
      read_one_fault(kOpening + kMessage + delivery, delivery, kStep, Severity::warning, Fault::unknown_value);
  REQUIRE(all.episodes.size() == 1);
  REQUIRE(all.episodes[0].deliveries.size() == 2);
  CHECK(all.episodes[0].deliveries[0].id == "d");
  CHECK(all.episodes[0].deliveries[1].id == "d.2");
  CHECK(all.diagnostics[0].detail.find("stands twice in the episode; the later one is called d.2") !=
        std::string::npos);
  CHECK(all.episodes[0].visibility == VisibilityGrade::exact);
}

TEST_CASE("unknown fields and types are counted at their first place") {
  const std::string extra = R"({"type":"message","id":"b","role":"user","text":"x","mood":1})"
                            "\n";
  const std::string strange = R"({"type":"weather","sun":true})"
                              "\n";
  const Read all = read(kOpening + extra + strange +
                        R"({"type":"step","step":1,"usage":{"gold":1},"mood":2})"
                        "\n" +
                        strange + R"({"type":"message","id":"c","role":"user","text":"x","mood":3})");
  REQUIRE(all.diagnostics.size() == 4);
  CHECK(all.diagnostics[0].fault == Fault::unknown_field);
  CHECK(all.diagnostics[0].severity == Severity::note);
  CHECK(all.diagnostics[0].detail == "message.mood");
  CHECK(all.diagnostics[0].line == 2);
  CHECK(all.diagnostics[0].byte == kOpening.size());
  CHECK(all.diagnostics[0].count == 2);
  CHECK(all.diagnostics[1].fault == Fault::unknown_type);
  CHECK(all.diagnostics[1].detail == "weather");
  CHECK(all.diagnostics[1].count == 2);
  CHECK(all.diagnostics[1].line == 3);
  CHECK(all.diagnostics[2].detail == "step.mood");
  CHECK(all.diagnostics[3].detail == "step.usage.gold");
  CHECK(all.episodes.at(0).visibility == VisibilityGrade::exact);
}

TEST_CASE("an episode line that cannot be used sets the whole episode aside") {
  const auto faults = [](const std::string& line) {
    const Read all = read(kOpening + line + "\n" + kMessage + kStep + kOpenSecond + kMessage);
    REQUIRE(all.episodes.size() == 2);
    CHECK(all.episodes[0].messages.empty());
    CHECK(all.episodes[1].messages.size() == 1);
    std::vector<Fault> found;
    for (const Diagnostic& diagnostic : all.diagnostics) {
      if (diagnostic.fault == Fault::out_of_place) {
        CHECK(diagnostic.line == 3);
        CHECK(diagnostic.detail.find("2 line(s)") == 0);
      } else {
        CHECK(diagnostic.line == 2);
      }
      found.push_back(diagnostic.fault);
    }
    return found;
  };
  using Faults = std::vector<Fault>;
  CHECK(faults(R"({"type":"episode","schema":"memuse-trace/2","episode":"x","task_id":"t"})") ==
        Faults{Fault::unknown_schema, Fault::episode_set_aside, Fault::out_of_place});
  CHECK(faults(R"({"type":"episode","episode":"x","task_id":"t"})") ==
        Faults{Fault::unknown_schema, Fault::episode_set_aside, Fault::out_of_place});
  CHECK(faults(R"({"type":"episode","schema":"memuse-trace/1","task_id":"t"})") ==
        Faults{Fault::missing_field, Fault::episode_set_aside, Fault::out_of_place});
  CHECK(faults(R"({"type":"episode","schema":"memuse-trace/1","episode":"x","task_id":5})") ==
        Faults{Fault::missing_field, Fault::episode_set_aside, Fault::out_of_place});
}

TEST_CASE("an episode line with a fault in an optional part is used") {
  const auto warned = [](const std::string& more) {
    const Read all = read(
        R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r",)" +
        more + "}");
    REQUIRE(all.episodes.size() == 1);
    REQUIRE(all.diagnostics.size() == 1);
    CHECK(all.diagnostics[0].severity == Severity::warning);
    CHECK(all.diagnostics[0].line == 1);
    return all.diagnostics[0].fault;
  };
  CHECK(warned(R"("visibility":"perfect")") == Fault::unknown_value);
  CHECK(warned(R"("delivery_grade":3)") == Fault::wrong_type);
  CHECK(warned(R"("position":-1)") == Fault::wrong_type);
  CHECK(warned(R"("position":0)") == Fault::unknown_value);
  CHECK(warned(R"("tags":{"a":1,"b":"2"})") == Fault::wrong_type);
  CHECK(warned(R"("task":"do it")") == Fault::wrong_type);
  CHECK(warned(R"("outcome":{"resolved":"yes"})") == Fault::wrong_type);
  CHECK(warned(R"("probe":{"gold":"x"})") == Fault::wrong_type);
  CHECK(warned(R"("probe":{"corruption":{"rate":"x"}})") == Fault::wrong_type);
}

TEST_CASE("a trace that names no configuration or run is told") {
  const std::string names =
      GENERATE(as<std::string>{}, "", R"(,"configuration":"","run":"")", R"(,"configuration":null,"run":null)");
  const Read all = read(R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t")" + names + "}");
  REQUIRE(all.diagnostics.size() == 2);
  CHECK(all.diagnostics[0].fault == Fault::unnamed_configuration);
  CHECK(all.diagnostics[1].fault == Fault::unnamed_configuration);
  CHECK(all.episodes.at(0).configuration == "unnamed");
  CHECK(all.episodes.at(0).run == "r1");
}

TEST_CASE("lines outside any episode are reported once for each stretch") {
  const Read all = read(kMessage + kMessage + kOpening +
                        R"({"type":"end"})"
                        "\n" +
                        kStep + kOpenSecond);
  REQUIRE(all.episodes.size() == 2);
  REQUIRE(all.diagnostics.size() == 2);
  CHECK(all.diagnostics[0].fault == Fault::out_of_place);
  CHECK(all.diagnostics[0].line == 1);
  CHECK(all.diagnostics[0].byte == 0);
  CHECK(all.diagnostics[0].detail.find("2 line(s)") == 0);
  CHECK(all.diagnostics[1].line == 5);
  CHECK(all.diagnostics[1].byte == 2 * kMessage.size() + kOpening.size() + 15);
}

TEST_CASE("a last line that is cut off is told as such") {
  for (const std::string& cut :
       {std::string(R"({"type":"mess)"), std::string(R"({"type":"message","id":"b","role":"us)"),
        std::string("{\"type\":\"message\",\"id\":\"caf\xC3"), std::string("{")}) {
    const Read all = read_one_fault(kOpening + kMessage, cut, "", Severity::error, Fault::truncated_line);
    REQUIRE(all.episodes.size() == 1);
    CHECK(all.episodes[0].visibility == VisibilityGrade::partial);
    CHECK(all.episodes[0].source.byte_end == kOpening.size() + kMessage.size() + cut.size());
  }
}

TEST_CASE("a line over the limit is read past") {
  ReadOptions options;
  options.max_record_bytes = 200;
  const std::string longer = R"({"type":"message","id":"b","role":"user","text":")" + std::string(5000, 'x') + "\"}\n";
  const Read all = read(kOpening + kMessage + longer + kStep, options);
  REQUIRE(all.diagnostics.size() == 1);
  CHECK(all.diagnostics[0].fault == Fault::line_too_long);
  CHECK(all.diagnostics[0].line == 3);
  CHECK(all.diagnostics[0].byte == kOpening.size() + kMessage.size());
  REQUIRE(all.episodes.size() == 1);
  CHECK(all.episodes[0].visibility == VisibilityGrade::partial);
  CHECK(all.episodes[0].steps.size() == 1);
  CHECK(all.episodes[0].source.byte_end == kOpening.size() + kMessage.size() + longer.size() + kStep.size());
  SECTION("a record of exactly the limit is read") {
    options.max_record_bytes = longer.size() - 1;
    CHECK(read(kOpening + longer, options).diagnostics.empty());
    options.max_record_bytes = longer.size() - 2;
    CHECK(read(kOpening + longer, options).diagnostics.size() == 1);
  }
}

TEST_CASE("lines after a lost episode line are not taken for the episode before") {
  for (const std::string& lost :
       {R"({"type":"episode","schema":"memuse-trace/1","episode":"e2",,"task_id":"t"})" + std::string("\n"),
        R"({"type": "episode", "sche)" + std::string("\n"),
        R"({"schema":"memuse-trace/1","episode":"e2","type":)" + std::string("\n")}) {
    INFO(lost);
    const Read all = read(kOpening + kMessage + kStep + lost + kMessage + kStep + kOpenSecond + kMessage);
    REQUIRE(all.episodes.size() == 2);
    CHECK(all.episodes[0].messages.size() == 2);
    CHECK(all.episodes[0].steps.size() == 1);
    CHECK(all.episodes[0].source.byte_end == kOpening.size() + kMessage.size() + kStep.size());
    CHECK(all.episodes[1].id == "e2");
    CHECK(all.episodes[1].visibility == VisibilityGrade::exact);
    REQUIRE(all.diagnostics.size() == 2);
    CHECK(all.diagnostics[0].line == 4);
    CHECK(all.diagnostics[1].fault == Fault::out_of_place);
    CHECK(all.diagnostics[1].line == 5);
  }
}

TEST_CASE("an episode line under another type or none closes the episode before") {
  const auto closes = [](const std::string& type, Fault fault) {
    const Read all = read(kOpening + kMessage + kStep + "{" + type +
                          R"("schema":"memuse-trace/1","episode":"x","task_id":"t"})"
                          "\n" +
                          kMessage + kStep);
    REQUIRE(all.episodes.size() == 1);
    CHECK(all.episodes[0].steps.size() == 1);
    CHECK(all.episodes[0].visibility == VisibilityGrade::exact);
    REQUIRE(all.diagnostics.size() == 2);
    CHECK(all.diagnostics[0].fault == fault);
    CHECK(all.diagnostics[0].line == 4);
    CHECK(all.diagnostics[1].fault == Fault::out_of_place);
    CHECK(all.diagnostics[1].line == 5);
  };
  closes(R"("type":"Episode",)", Fault::unknown_type);
  closes(R"("type":7,)", Fault::missing_field);
  closes("", Fault::missing_field);
}

TEST_CASE("a step that counts from 1 again after a lost line belongs to another episode") {
  const std::string other = R"({"type":"message","id":"other","role":"user","text":"x"})"
                            "\n";
  const Read all = read(kOpening + kMessage + kStep + "{broken\n" + other + kStep + other + kOpenSecond);
  REQUIRE(all.episodes.size() == 2);
  CHECK(all.episodes[0].steps.size() == 1);
  CHECK(all.episodes[0].visibility == VisibilityGrade::partial);
  REQUIRE(all.diagnostics.size() == 2);
  CHECK(all.diagnostics[0].fault == Fault::invalid_json);
  CHECK(all.diagnostics[1].fault == Fault::out_of_place);
  CHECK(all.diagnostics[1].line == 6);
  SECTION("without a lost line it is a wrong number only") {
    const Read plain = read(kOpening + kStep + R"({"type":"step","step":1})");
    REQUIRE(plain.episodes.size() == 1);
    CHECK(plain.episodes[0].steps.size() == 2);
    REQUIRE(plain.diagnostics.size() == 1);
    CHECK(plain.diagnostics[0].fault == Fault::step_number);
  }
  SECTION("so does a message with an id that this episode has") {
    const Read known = read(kOpening + kMessage + kStep + "{broken\n" + kMessage + kStep + kOpenSecond);
    REQUIRE(known.episodes.size() == 2);
    CHECK(known.episodes[0].steps.size() == 1);
    REQUIRE(known.diagnostics.size() == 2);
    CHECK(known.diagnostics[1].fault == Fault::out_of_place);
    CHECK(known.diagnostics[1].line == 5);
  }
  SECTION("a step that counts on belongs to the same episode") {
    const Read on = read(kOpening + kStep + "{broken\n" + R"({"type":"step","step":2})");
    REQUIRE(on.episodes.size() == 1);
    CHECK(on.episodes[0].steps.size() == 2);
    CHECK(on.diagnostics.size() == 1);
  }
}

TEST_CASE("a rebuilt visible input is known in part after a lost line, an unknown one stays unknown") {
  const auto grade = [](const std::string& word) {
    return read(
               R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r","visibility":")" +
               word + "\"}\n{broken\n")
        .episodes.at(0)
        .visibility;
  };
  CHECK(grade("exact") == VisibilityGrade::partial);
  CHECK(grade("rebuilt") == VisibilityGrade::partial);
  CHECK(grade("partial") == VisibilityGrade::partial);
  CHECK(grade("unknown") == VisibilityGrade::unknown);
}

TEST_CASE("a hostile step with very many results is read in linear time") {
  std::string results;
  for (int i = 0; i < 200'000; ++i) results += "{\"id\":\"o" + std::to_string(i) + "\"},";
  const Read all = read(kOpening + R"({"type":"step","step":1,"results":[)" + results + R"({"id":"o7"}]})" + "\n");
  REQUIRE(all.diagnostics.size() == 1);
  CHECK(all.diagnostics[0].fault == Fault::duplicate_message);
}

TEST_CASE("diagnostics never carry control characters") {
  const Read all = read(kOpening + "{\"type\":\"\x1b[2J\"}\n" + R"({"type":"\u001b[2J","x\u202ey":1})" + "\n");
  for (const Diagnostic& diagnostic : all.diagnostics) {
    CHECK(diagnostic.detail.find('\x1b') == std::string::npos);
    CHECK(diagnostic.detail.find("\xE2\x80\xAE") == std::string::npos);
  }
  CHECK(all.diagnostics.size() == 2);
}

}  // namespace
}  // namespace memuse::ingest
