#include "ingest/claude_code.h"

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

const std::string kSessionPath = "/home/x/projects/harbour/s1.jsonl";

Ingested read_session(const std::string& bytes, const std::string& path = kSessionPath) {
  return test::ingest_text(claude_code_adapter(), bytes, path);
}

std::string detected_session(std::string_view head) {
  return claude_code_adapter().detect(head).value_or("no");
}

/// A record with the usual envelope; an empty parent is a root.
std::string session_record(const std::string& type, const std::string& uuid, const std::string& parent,
                           const std::string& rest) {
  const std::string link = parent.empty() ? "null" : fmt::format("\"{}\"", parent);
  return fmt::format(
      R"({{"type":"{}","uuid":"{}","parentUuid":{},"sessionId":"s1","version":"2.1.0","gitBranch":"main",)"
      R"("timestamp":"2026-01-02T03:04:05.000Z",{}}})"
      "\n",
      type, uuid, link, rest);
}

std::string user(const std::string& uuid, const std::string& parent, const std::string& text,
                 const std::string& more = "") {
  return session_record("user", uuid, parent,
                        fmt::format(R"({}"message":{{"role":"user","content":"{}"}})", more, text));
}

std::string result(const std::string& uuid, const std::string& parent, const std::string& action,
                   const std::string& text) {
  return session_record(
      "user", uuid, parent,
      fmt::format(R"("toolUseResult":{{"file":"all of it"}},"message":{{"role":"user","content":[{{"type":)"
                  R"("tool_result","tool_use_id":"{}","content":[{{"type":"text","text":"{}"}}]}}]}})",
                  action, text));
}

std::string answer(const std::string& uuid, const std::string& parent, const std::string& id, const std::string& block,
                   const std::string& stop = "null", const std::string& more = "") {
  return session_record(
      "assistant", uuid, parent,
      fmt::format(R"({}"message":{{"id":"{}","role":"assistant","model":"small-1","content":[{}],"stop_reason":{},)"
                  R"("usage":{{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,)"
                  R"("output_tokens":2}}}})",
                  more, id, block, stop));
}

std::string text_block(const std::string& text) {
  return fmt::format(R"({{"type":"text","text":"{}"}})", text);
}

std::string tool_block(const std::string& id, const std::string& name) {
  return fmt::format(R"({{"type":"tool_use","id":"{}","name":"{}","input":{{"path":"tide.c"}}}})", id, name);
}

TEST_CASE("records of one answer make one step", "[claude-code]") {
  const Ingested reading = read_session(
      user("u1", "", "Mend the tide clock.") +
      answer("a1", "u1", "m1", R"({"type":"thinking","thinking":"hm","signature":"x"})") +
      answer("a2", "a1", "m1", text_block("I look.")) + answer("a3", "a2", "m1", tool_block("t1", "Read")) +
      answer("a4", "a3", "m1", tool_block("t2", "Read"), "\"tool_use\"") + result("r1", "a3", "t1", "one") +
      result("r2", "a4", "t2", "two") + answer("a5", "r2", "m2", text_block("Done.")));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "s1");
  CHECK(episode.task_id == "s1");
  CHECK(episode.configuration == "small-1");
  CHECK(episode.run == "harbour");
  CHECK(episode.task_text == "Mend the tide clock.");
  CHECK(episode.visibility == VisibilityGrade::partial);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.source.format_version == "2.1.0");
  CHECK_FALSE(episode.end_reason);
  REQUIRE(episode.steps.size() == 2);
  const Step& step = episode.steps[0];
  CHECK(step.response == "I look.");
  CHECK(step.reasoning == "hm");
  CHECK(step.time == "2026-01-02T03:04:05.000Z");
  CHECK(step.model == "small-1");
  REQUIRE(step.actions.size() == 2);
  CHECK(step.actions[0].arguments == R"({"path":"tide.c"})");
  REQUIRE(step.results.size() == 2);
  CHECK(step.results[0].action == "t1");
  CHECK(text_of_message(episode, "r2") == "two");
  SECTION("usage counts once, and output only where the answer's end is told") {
    CHECK(step.usage.input == 325U);
    CHECK(step.usage.cached_input == 300U);
    CHECK(step.usage.output == 2U);
    CHECK(episode.steps[1].usage.input == 325U);
    CHECK_FALSE(episode.steps[1].usage.output);
  }
  SECTION("both parallel results are in the next input, though they are siblings in the tree") {
    CHECK(visible_ids(episode, 1) == "u1 ");
    CHECK(visible_ids(episode, 2) == "u1 m1 r1 r2 ");
  }
}

TEST_CASE("a call may go on behind the results of its first tools", "[claude-code]") {
  const Ingested reading = read_session(
      user("u1", "", "Go.") + answer("a1", "u1", "m1", tool_block("t1", "Read")) + result("r1", "a1", "t1", "one") +
      answer("a2", "r1", "m1", tool_block("t2", "Read")) + result("r2", "a2", "t2", "two"));
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 1);
  CHECK(episode.steps[0].actions.size() == 2);
  CHECK(episode.steps[0].results.size() == 2);
}

TEST_CASE("a compaction takes everything out of the input", "[claude-code]") {
  const Ingested reading =
      read_session(user("u1", "", "Go.") + answer("a1", "u1", "m1", text_block("One.")) +
                   session_record("system", "b1", "",
                                  R"("subtype":"compact_boundary","logicalParentUuid":"a1","compactMetadata":{})") +
                   user("c1", "b1", "This session is being continued.", R"("isCompactSummary":true,)") +
                   user("u2", "c1", "Go on.") + answer("a2", "u2", "m2", text_block("Two.")));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(visible_ids(episode, 2) == "c1 u2 ");
  CHECK(episode.messages[2].origin == Origin::other);
  CHECK(episode.messages[3].origin == Origin::user);
}

TEST_CASE("results that a small compaction cleared leave the input", "[claude-code]") {
  const std::string before = user("u1", "", "Go.") + answer("a1", "u1", "m1", tool_block("t1", "Read")) +
                             result("r1", "a1", "t1", "one") + answer("a2", "r1", "m2", tool_block("t2", "Read")) +
                             result("r2", "a2", "t2", "two");
  const std::string after = answer("a3", "k1", "m3", text_block("Done."));
  SECTION("named ones") {
    const Ingested reading = read_session(before +
                                          session_record("system", "k1", "r2",
                                                         R"("subtype":"microcompact_boundary","microcompactMetadata":)"
                                                         R"({"compactedToolIds":["t1","unknown"]})") +
                                          after);
    CHECK(visible_ids(reading.only(), 2) == "u1 m1 r1 ");
    CHECK(visible_ids(reading.only(), 3) == "u1 m1 m2 r2 ");
  }
  SECTION("unnamed ones are told of") {
    const Ingested reading =
        read_session(before + session_record("system", "k1", "r2", R"("subtype":"microcompact_boundary")") + after);
    CHECK(reading.count(Fault::shortened_input) == 1);
    CHECK(visible_ids(reading.only(), 3) == "u1 m1 r1 m2 r2 ");
  }
}

TEST_CASE("what a rewind left behind is in no later input", "[claude-code]") {
  const std::string first = user("u1", "", "Go.") + answer("a1", "u1", "m1", text_block("One.")) +
                            user("u2", "a1", "Left.") + answer("a2", "u2", "m2", text_block("Left too."));
  const std::string second = user("u3", "a1", "Right.") + answer("a3", "u3", "m3", text_block("Right too."));
  const Ingested reading = read_session(first + second);
  CHECK(reading.diagnostics.empty());
  CHECK(reading.only().steps.size() == 3);
  CHECK(visible_ids(reading.only(), 3) == "u1 m1 u3 ");
  SECTION("a branch that is taken up again is not shown again, which is told") {
    const Ingested again =
        read_session(first + second + user("u4", "a2", "Back.") + answer("a4", "u4", "m4", text_block("B.")));
    CHECK(again.count(Fault::shortened_input) == 1);
    CHECK(visible_ids(again.only(), 4) == "u1 m1 u4 ");
  }
}

TEST_CASE("/clear begins another episode", "[claude-code]") {
  const std::string clear = "<command-name>/clear</command-name>";
  SECTION("in a session that has begun") {
    const Ingested reading =
        read_session(user("u1", "", "One.") + answer("a1", "u1", "m1", text_block("1")) + user("x", "a1", clear) +
                     user("u2", "x", "Two.") + answer("a2", "u2", "m2", text_block("2")));
    REQUIRE(reading.episodes.size() == 2);
    CHECK(reading.episodes[0].id == "s1");
    CHECK(reading.episodes[1].id == "s1/part-2");
    CHECK(reading.episodes[1].group == "s1");
    CHECK(reading.episodes[1].task_text == "Two.");
    CHECK(visible_ids(reading.episodes[1], 1) == "x u2 ");
  }
  SECTION("at the start of a session it is only a command") {
    const Ingested reading =
        read_session(user("c", "", "Caveat: local commands.", R"("isMeta":true,)") + user("x", "c", clear) +
                     user("o", "x", "<local-command-stdout></local-command-stdout>") + user("u1", "o", "One.") +
                     answer("a1", "u1", "m1", text_block("1")));
    CHECK(reading.only().id == "s1");
    CHECK(reading.only().task_text == "One.");
    CHECK(visible_ids(reading.only(), 1) == "c x o u1 ");
  }
}

TEST_CASE("sub-agents are episodes of their own", "[claude-code]") {
  const std::string sidechain = R"("isSidechain":true,"agentId":"7f",)";
  const std::string main = user("u1", "", "Go.") + answer("a1", "u1", "m1", tool_block("t1", "Task"));
  SECTION("from their records") {
    const Ingested reading = read_session(main + user("s1u", "", "Look.", sidechain) +
                                          answer("s1a", "s1u", "n1", text_block("Seen."), "null", sidechain) +
                                          result("r1", "a1", "t1", "Seen."));
    REQUIRE(reading.episodes.size() == 2);
    const Episode& agent = reading.episodes[1];
    CHECK(agent.id == "s1/agent-7f");
    CHECK(agent.group == "s1");
    CHECK(agent.task_text == "Look.");
    CHECK(agent.steps.size() == 1);
    CHECK(reading.episodes[0].steps.size() == 1);
    CHECK(reading.episodes[0].steps[0].results.size() == 1);
  }
  SECTION("without an id, by their tree") {
    const std::string old = R"("isSidechain":true,)";
    const Ingested reading =
        read_session(main + user("x1", "", "Look.", old) + answer("x2", "x1", "n1", text_block("Seen."), "null", old) +
                     user("y1", "", "Look there.", old) + answer("y2", "y1", "n2", text_block("Seen."), "null", old));
    REQUIRE(reading.episodes.size() == 3);
    CHECK(reading.episodes[1].id == "s1/sidechain-x1");
    CHECK(reading.episodes[2].id == "s1/sidechain-y1");
  }
  SECTION("from progress records, once") {
    const auto progress = [](const std::string& uuid, const std::string& parent, const std::string& type,
                             const std::string& message) {
      return session_record("progress", uuid, parent,
                            fmt::format(R"("data":{{"type":"agent_progress","agentId":"7f","message":{{"type":"{}",)"
                                        R"("timestamp":"2026-01-02T03:04:06.000Z","message":{}}}}})",
                                        type, message));
    };
    const std::string said =
        R"({"id":"n1","role":"assistant","model":"tiny-1","content":[{"type":"text","text":"S"}]})";
    const Ingested reading =
        read_session(main + progress("p1", "a1", "user", R"({"role":"user","content":"Look."})") +
                     progress("p2", "p1", "assistant", said) + progress("p3", "p2", "assistant", said) +
                     result("r1", "a1", "t1", "S") + answer("a2", "r1", "m2", text_block("Done.")));
    REQUIRE(reading.episodes.size() == 2);
    CHECK(reading.episodes[0].steps.size() == 2);
    CHECK(visible_ids(reading.episodes[0], 2) == "u1 m1 r1 ");
    CHECK(reading.episodes[1].id == "s1/agent-7f");
    CHECK(reading.episodes[1].steps.size() == 1);
    CHECK(reading.episodes[1].steps[0].time == "2026-01-02T03:04:06.000Z");
  }
  SECTION("the folders of the tool do not name the run") {
    const Ingested reading =
        read_session(user("q", "", "Look.", sidechain) + answer("w", "q", "n1", text_block("Seen."), "null", sidechain),
                     "/home/x/projects/harbour/s1/subagents/agent-7f.jsonl");
    CHECK(reading.only().run == "harbour");
  }
}

TEST_CASE("a compaction call is a side call", "[claude-code]") {
  const std::string sidechain = R"("isSidechain":true,"agentId":"acompact-1",)";
  const Ingested reading = read_session(user("q", "elsewhere", "Summarise.", sidechain) +
                                        answer("w", "q", "n1", text_block("Summary."), "\"end_turn\"", sidechain));
  const Episode& episode = reading.only();
  CHECK(episode.steps.empty());
  REQUIRE(episode.side_calls.size() == 1);
  CHECK(episode.side_calls[0].purpose == "compaction");
  CHECK(episode.side_calls[0].usage.output == 2U);
  CHECK(text_of_message(episode, "w") == "Summary.");
}

TEST_CASE("attachments are messages as they were sent", "[claude-code]") {
  const auto attachment = [](const std::string& uuid, const std::string& parent, const std::string& content) {
    return session_record("attachment", uuid, parent, fmt::format(R"("attachment":{})", content));
  };
  const Ingested reading = read_session(
      user("u1", "", "Go.") +
      attachment("i", "u1",
                 R"({"type":"instructions","reason":"session_start","files":[{"path":"/h/CLAUDE.md","type":"Project",)"
                 R"("content":"- Tides are late."}]})") +
      attachment("h", "i", R"({"type":"hook_additional_context","hookName":"UserPromptSubmit","content":["x","y"]})") +
      attachment("d", "h", R"({"type":"deferred_tools_delta","names":[]})") +
      answer("a1", "d", "m1", text_block("One.")));
  const Episode& episode = reading.only();
  CHECK(visible_ids(episode, 1) == "u1 i h ");
  CHECK(text_of_message(episode, "i") ==
        "<system-reminder>\nContents of /h/CLAUDE.md (project instructions, checked into the codebase):\n\n"
        "- Tides are late.\n</system-reminder>");
  CHECK(text_of_message(episode, "h") ==
        "<system-reminder>\nUserPromptSubmit hook additional context: x\ny\n</system-reminder>");
  CHECK(episode.messages[1].origin == Origin::memory);
  CHECK(reading.count(Fault::unknown_type) == 1);
}

TEST_CASE("what no model said is no step", "[claude-code]") {
  const Ingested reading = read_session(
      user("u1", "", "Go.") +
      session_record(
          "assistant", "e1", "u1",
          R"("isApiErrorMessage":true,"message":{"id":"e","role":"assistant","model":"<synthetic>","content":)"
          R"([{"type":"text","text":"Overloaded"}]})") +
      answer("a1", "e1", "m1", text_block("One.")));
  CHECK(reading.only().steps.size() == 1);
  CHECK(visible_ids(reading.only(), 1) == "u1 e1 ");
}

TEST_CASE("records that a resumed session repeats count once", "[claude-code]") {
  const std::string repeated = answer("a1", "u1", "m1", text_block("One."));
  const Ingested same = read_session(user("u1", "", "Go.") + repeated + repeated);
  CHECK(same.diagnostics.empty());
  CHECK(same.only().steps.size() == 1);
  CHECK(same.only().steps[0].response == "One.");
  const Ingested other = read_session(user("u1", "", "Go.") + user("u1", "", "Another.") + repeated);
  CHECK(other.count(Fault::duplicate_message) == 1);
  CHECK(other.only().messages.size() == 2);
}

TEST_CASE("titles belong to the session that they name", "[claude-code]") {
  const Ingested reading = read_session(R"({"type":"summary","summary":"Another session","leafUuid":"zz"})"
                                        "\n" +
                                        user("u1", "", "Go.") + answer("a1", "u1", "m1", text_block("One.")) +
                                        R"({"type":"summary","summary":"Tide clock","leafUuid":"a1"})"
                                        "\n"
                                        R"({"type":"custom-title","customTitle":"Mine","sessionId":"s1"})"
                                        "\n");
  CHECK(reading.diagnostics.empty());
  std::string tags;
  for (const Tag& tag : reading.only().tags) tags += fmt::format("{}={} ", tag.key, tag.value);
  CHECK(tags == "branch=main summary=Tide clock title=Mine version=2.1.0 ");
}

TEST_CASE("a bad line costs one line", "[claude-code]") {
  const std::string first = user("u1", "", "Go.");
  const std::string good = answer("a1", "u1", "m1", text_block("One."));
  const Ingested reading = read_session(first + "{\"type\":\"user\",,}\n" + good);
  CHECK(reading.only().steps.size() == 1);
  REQUIRE(reading.count(Severity::error) == 1);
  CHECK(reading.diagnostics[0].line == 2);
  CHECK(reading.diagnostics[0].byte >= first.size());
  CHECK(reading.diagnostics[0].byte < first.size() + 18);
  SECTION("two records on one line are both read") {
    const Ingested joined = read_session(first.substr(0, first.size() - 1) + good);
    CHECK(joined.count(Severity::error) == 0);
    CHECK(joined.only().steps.size() == 1);
  }
  SECTION("a last line that is cut") {
    const Ingested cut = read_session(first + good + good.substr(0, 40));
    CHECK(cut.count(Fault::truncated_line) == 1);
    CHECK(cut.only().steps.size() == 1);
  }
}

TEST_CASE("a file that starts inside a session is told of", "[claude-code]") {
  const Ingested reading =
      read_session(result("r1", "gone", "t0", "late") + answer("a1", "r1", "m1", text_block("One.")));
  CHECK(reading.count(Fault::under_recorded) == 1);
  CHECK(reading.count(Fault::unmatched_result) == 1);
  CHECK(visible_ids(reading.only(), 1) == "r1 ");
}

TEST_CASE("sessions in one file stay apart, also when read again", "[claude-code]") {
  const test::TemporaryFolder folder;
  std::string other = user("o1", "", "Other.") + answer("o2", "o1", "k1", text_block("Yes."));
  for (std::size_t at = other.find("\"s1\""); at != std::string::npos; at = other.find("\"s1\"")) {
    other.replace(at, 4, "\"s2\"");
  }
  const std::string first = user("u1", "", "Go.");
  const std::string path =
      folder.write("p/s1.jsonl", first + other + answer("a1", "u1", "m1", text_block("One.")) + "{bad\n");
  const Ingested reading = test::ingest_file(path);
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.format == "claude-code");
  CHECK(reading.episodes[1].id == "s2");
  CHECK(reading.episodes[1].source.line == 2);
  CHECK(reading.episodes[1].source.byte_begin == first.size());
  for (const Episode& episode : reading.episodes) test::check_read_again(episode);
}

TEST_CASE("detection of Claude Code sessions", "[claude-code]") {
  const std::string good = user("u1", "", "Go.");
  CHECK(detected_session(good) == "2.1.0");
  CHECK(detected_session(good.substr(0, good.size() - 20)) == "2.1.0");
  CHECK(detected_session("garbage\n" + good) == "2.1.0");
  CHECK(detected_session(R"({"type":"summary","summary":"x","leafUuid":"y"})").empty());
  CHECK(detected_session(R"({"type":"file-history-snapshot","messageId":"x","snapshot":{}})"
                         "\n" +
                         good) == "2.1.0");
  for (const char* foreign : {
           "",
           "[",
           "{\n  \"sessionId\": \"x\",\n  \"messages\": []\n}",
           R"({"type":"session_meta","payload":{"id":"x"}})",
           R"({"type":"thread.started","thread_id":"x"})",
           R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t"})",
           R"({"type":"message","id":"x","role":"user","text":"sessionId uuid"})",
           R"([{"type":"user","uuid":"u","sessionId":"s"}])",
       }) {
    CAPTURE(foreign);
    CHECK(detected_session(foreign) == "no");
  }
}

}  // namespace
}  // namespace memuse::ingest
