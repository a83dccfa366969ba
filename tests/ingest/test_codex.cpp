#include "ingest/codex.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "support/ingested.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

using test::Ingested;
using test::text_of_message;
using test::visible_ids;

const std::string kRolloutPath = "/home/x/runs/first/rollout-2026-01-02T03-04-05-t1.jsonl";

Ingested read_rollout(const std::string& bytes) {
  return test::ingest_text(codex_adapter(), bytes, kRolloutPath);
}

std::string detected_codex(std::string_view head) {
  return codex_adapter().detect(head).value_or("no");
}

std::string codex_record(const std::string& type, const std::string& payload) {
  return fmt::format(R"({{"timestamp":"2026-01-02T03:04:05.000Z","type":"{}","payload":{}}})"
                     "\n",
                     type, payload);
}

std::string meta(const std::string& more = "") {
  return codex_record(
      "session_meta",
      fmt::format(R"({{"id":"t1","cli_version":"0.104.0","base_instructions":{{"text":"Base."}}{}}})", more));
}

std::string context() {
  return codex_record("turn_context", R"({"turn_id":"x","model":"lab/gpt-s"})");
}

std::string codex_message(const std::string& role, const std::string& text, const std::string& id = "") {
  return codex_record(
      "response_item",
      fmt::format(R"({{"type":"message","id":"{}","role":"{}","content":[{{"type":"{}","text":"{}"}}]}})", id, role,
                  role == "assistant" ? "output_text" : "input_text", text));
}

std::string prompt_event(const std::string& text) {
  return codex_record("event_msg", fmt::format(R"({{"type":"user_message","message":"{}","images":[]}})", text));
}

std::string reasoning(const std::string& text) {
  return codex_record(
      "response_item",
      fmt::format(R"({{"type":"reasoning","summary":[{{"type":"summary_text","text":"{}"}}],"content":null,)"
                  R"("encrypted_content":"xyz"}})",
                  text));
}

std::string codex_call(const std::string& id, const std::string& arguments = R"({\"cmd\":\"ls\"})") {
  return codex_record("response_item",
                      fmt::format(R"({{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"{}"}})",
                                  arguments, id));
}

std::string output(const std::string& id, const std::string& value) {
  return codex_record("response_item",
                      fmt::format(R"({{"type":"function_call_output","call_id":"{}","output":{}}})", id, value));
}

std::string tokens(int total, int last) {
  return codex_record("event_msg",
                      fmt::format(R"({{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{}}},)"
                                  R"("last_token_usage":{{"input_tokens":{},"cached_input_tokens":7,"output_tokens":3,)"
                                  R"("total_tokens":{}}}}}}})",
                                  total, last - 3, last));
}

const std::string kStart = meta() + codex_message("developer", "Rules.", "d1") +
                           codex_message("user", "<environment_context>here</environment_context>", "e1") +
                           codex_message("user", "Mend the tide clock.", "u1") + prompt_event("Mend the tide clock.") +
                           context();

TEST_CASE("parts of an answer make one step", "[codex]") {
  const Ingested reading =
      read_rollout(kStart + codex_record("event_msg", R"({"type":"token_count","info":null})") + reasoning("hm") +
                   codex_record("event_msg", R"({"type":"agent_message","message":"I look."})") +
                   codex_message("assistant", "I look.", "a1") + codex_call("c1") + codex_call("c2", "no json") +
                   tokens(100, 100) + codex_message("developer", "In between.", "d2") + output("c2", R"("two")") +
                   output("c1", R"([{"type":"input_text","text":"one"},{"type":"input_text","text":"more"}])") +
                   context() + tokens(100, 100) + codex_message("assistant", "Done.", "a2") + tokens(220, 120) +
                   codex_record("event_msg", R"({"type":"task_complete","last_agent_message":"Done."})"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "t1");
  CHECK(episode.configuration == "gpt-s");
  CHECK(episode.run == "first");
  CHECK(episode.model == "lab/gpt-s");
  CHECK(episode.task_text == "Mend the tide clock.");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.end_reason == "task_complete");
  REQUIRE(episode.steps.size() == 2);
  const Step& step = episode.steps[0];
  CHECK(step.response == "I look.");
  CHECK(step.reasoning == "hm");
  CHECK(step.usage.input == 97U);
  CHECK(step.usage.cached_input == 7U);
  CHECK(step.usage.output == 3U);
  CHECK(episode.steps[1].usage.input == 117U);
  REQUIRE(step.actions.size() == 2);
  CHECK(step.actions[0].arguments == R"({"cmd":"ls"})");
  CHECK(step.actions[1].arguments == R"("no json")");
  REQUIRE(step.results.size() == 2);
  CHECK(step.results[0].action == "c2");
  CHECK(episode.texts[episode.messages[step.results[1].message].versions[0].text] == "one\nmore");
  SECTION("context is no prompt") {
    CHECK(episode.messages[0].origin == Origin::system);
    CHECK(episode.messages[2].origin == Origin::other);
    CHECK(episode.messages[3].origin == Origin::task);
  }
  SECTION("a message that came between a call and its outputs stands behind them") {
    CHECK(visible_ids(episode, 1) == "line-1 d1 e1 u1 ");
    CHECK(visible_ids(episode, 2) == "line-1 d1 e1 u1 a1 line-15 line-16 d2 ");
  }
}

TEST_CASE("without events the first message that is no context is the task", "[codex]") {
  const Ingested reading =
      read_rollout(meta() + codex_message("user", "# AGENTS.md instructions for /h\\n\\n<INSTRUCTIONS>", "e1") +
                   codex_message("user", "Go.", "u1") + codex_message("assistant", "One.") +
                   codex_message("user", "On.", "u2") + codex_message("assistant", "Two."));
  CHECK(reading.only().task_text == "Go.");
  CHECK(reading.only().steps.size() == 2);
  CHECK(reading.only().messages[1].origin == Origin::other);
  CHECK(reading.only().messages[4].origin == Origin::user);
}

TEST_CASE("a compacted history replaces all but the base instructions", "[codex]") {
  const std::string before = kStart + codex_message("assistant", "One.", "a1") + tokens(100, 100);
  SECTION("with its items") {
    const Ingested reading = read_rollout(
        before +
        codex_record("compacted",
                     R"({"message":"","replacement_history":[{"type":"message","role":"user","content":)"
                     R"([{"type":"input_text","text":"Kept."}]},{"type":"compaction","encrypted_content":"x"}]})") +
        codex_message("assistant", "Two.", "a2"));
    CHECK(reading.diagnostics.empty());
    const Episode& episode = reading.only();
    REQUIRE(episode.steps.size() == 2);
    CHECK(visible_ids(episode, 2) == "line-1 line-9 ");
    CHECK(text_of_message(episode, "line-9") == "Kept.");
  }
  SECTION("with items that hold only an id, or none, the input is known in part") {
    for (const char* payload :
         {R"({"message":"Summary","replacement_history":[{"id":"s1"}]})", R"({"message":"Summary"})"}) {
      const Ingested reading =
          read_rollout(before + codex_record("compacted", payload) + codex_message("assistant", "Two.", "a2"));
      CHECK(reading.count(Fault::shortened_input) == 1);
      CHECK(reading.only().visibility == VisibilityGrade::partial);
    }
  }
}

TEST_CASE("turns that were taken back leave the input", "[codex]") {
  const Ingested reading = read_rollout(
      kStart + codex_message("assistant", "One.", "a1") + codex_message("user", "Wrong.", "u2") +
      prompt_event("Wrong.") + codex_message("assistant", "Two.", "a2") +
      codex_record("event_msg", R"({"type":"thread_rolled_back","num_turns":1})") +
      codex_message("user", "Right.", "u3") + prompt_event("Right.") + codex_message("assistant", "Three.", "a3"));
  CHECK(visible_ids(reading.only(), 3) == "line-1 d1 e1 u1 a1 u3 ");
}

TEST_CASE("results and calls that have no partner", "[codex]") {
  const Ingested reading =
      read_rollout(output("gone", R"("late")") + tokens(5000, 100) + reasoning("hm") + codex_call("c1"));
  CHECK(reading.count(Fault::unmatched_result) == 1);
  CHECK(reading.count(Fault::under_recorded) == 1);
  const Episode& episode = reading.only();
  CHECK(episode.id == "rollout-2026-01-02T03-04-05-t1");
  CHECK(episode.side_calls.empty());
  CHECK(episode.visibility == VisibilityGrade::partial);
  REQUIRE(episode.steps.size() == 1);
  CHECK_FALSE(episode.steps[0].usage.input);
  CHECK(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].results.empty());
}

TEST_CASE("a count without an answer is a side call", "[codex]") {
  const Ingested reading =
      read_rollout(kStart + codex_message("assistant", "One.") + tokens(100, 100) + tokens(150, 50));
  CHECK(reading.only().steps.size() == 1);
  REQUIRE(reading.only().side_calls.size() == 1);
  CHECK(reading.only().side_calls[0].usage.input == 47U);
}

TEST_CASE("other kinds of calls are actions", "[codex]") {
  const Ingested reading = read_rollout(
      kStart +
      codex_record("response_item",
                   R"({"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"p"})") +
      codex_record("response_item", R"({"type":"web_search_call","status":"completed","action":{"query":"tides"}})") +
      codex_record("response_item", R"({"type":"custom_tool_call_output","call_id":"p","output":"ok"})"));
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 1);
  REQUIRE(episode.steps[0].actions.size() == 2);
  CHECK(episode.steps[0].actions[0].arguments == R"("*** Begin")");
  CHECK(episode.steps[0].actions[1].name == "web_search");
  CHECK(episode.steps[0].results.size() == 1);
}

TEST_CASE("a resumed or forked file keeps its first meta record", "[codex]") {
  const Ingested reading =
      read_rollout(meta(R"(,"forked_from_id":"t0")") + codex_record("session_meta", R"({"id":"t0"})") +
                   codex_message("user", "Go.") + codex_message("assistant", "One."));
  CHECK(reading.only().id == "t1");
  REQUIRE(reading.only().tags.size() == 2);
  CHECK(reading.only().tags[1].value == "t0");
}

TEST_CASE("a bad line of a rollout costs one line", "[codex]") {
  const std::string bytes = kStart + "{\"type\":,}\n" + codex_message("assistant", "One.");
  const Ingested reading = read_rollout(bytes);
  REQUIRE(reading.count(Severity::error) == 1);
  CHECK(reading.diagnostics[0].line == 7);
  CHECK(reading.diagnostics[0].byte >= kStart.size());
  CHECK(reading.only().steps.size() == 1);
  CHECK(reading.only().visibility == VisibilityGrade::partial);
}

TEST_CASE("the stream of an exec run", "[codex]") {
  const Ingested reading = read_rollout(
      R"({"type":"thread.started","thread_id":"x1"})"
      "\n"
      R"({"type":"turn.started"})"
      "\n"
      R"({"type":"item.completed","item":{"id":"i0","type":"reasoning","text":"hm"}})"
      "\n"
      R"({"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","status":"in_progress"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"tide.c"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"Done."}})"
      "\n"
      R"({"type":"turn.completed","usage":{"input_tokens":50,"cached_input_tokens":4,"output_tokens":6}})"
      "\n");
  CHECK(reading.count(Fault::unnamed_configuration) == 1);
  const Episode& episode = reading.only();
  CHECK(episode.id == "x1");
  CHECK(episode.source.format_version == "exec");
  CHECK(episode.visibility == VisibilityGrade::unknown);
  CHECK(episode.end_reason == "turn.completed");
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].reasoning == "hm");
  REQUIRE(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].actions[0].arguments == R"({"command":"ls"})");
  CHECK(episode.steps[0].results.size() == 1);
  CHECK(episode.steps[1].response == "Done.");
  CHECK_FALSE(episode.steps[1].usage.input);
  REQUIRE(episode.totals);
  CHECK(episode.totals->usage.input == 50U);
}

TEST_CASE("a rollout read again is the same episode", "[codex]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("first/rollout.jsonl", kStart + codex_message("assistant", "One.") + "{bad\n");
  const Ingested reading = test::ingest_file(path);
  CHECK(reading.format == "codex");
  CHECK(reading.only().visibility == VisibilityGrade::partial);
  test::check_read_again(reading.only());
}

TEST_CASE("detection of Codex files", "[codex]") {
  CHECK(detected_codex(kStart) == "rollout");
  CHECK(detected_codex(meta().substr(0, 60)) == "no");
  CHECK(detected_codex(meta().substr(0, 90)) == "rollout");
  CHECK(detected_codex("garbage\n" + codex_message("user", "Go.")) == "rollout");
  CHECK(detected_codex(R"({"type":"thread.started","thread_id":"x"})") == "exec");
  for (const char* foreign : {
           "",
           "{",
           R"({"type":"user","uuid":"u","sessionId":"s","message":{"payload":1}})",
           R"({"type":"response_item"})",
           R"({"type":"episode","schema":"memuse-trace/1","payload":{}})",
           R"({"kind":"MessageEvent","id":"x"})",
       }) {
    CAPTURE(foreign);
    CHECK(detected_codex(foreign) == "no");
  }
}

}  // namespace
}  // namespace memuse::ingest
