#include "ingest/mini_swe_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../support/adapter_reading.h"
#include "../support/episode_text.h"
#include "../support/temporary_folder.h"
#include "ingest/episode_rereader.h"
#include "ingest/pipeline.h"

namespace memuse::ingest {
namespace {

const std::string kPath = "/study/first/harbor__tide-17.traj.json";

using Reading = test::AdapterReading;

Reading read(const std::string& bytes, const ReadOptions& options = {}, const std::string& path = kPath) {
  return test::read_bytes(mini_swe_agent_adapter(), bytes, path, options);
}

std::string detected(const std::string& head) {
  return mini_swe_agent_adapter().detect(head).value_or("no");
}

std::string info(const std::string& version, const std::string& exit_status, int calls, const std::string& more = "") {
  return fmt::format(
      R"("info":{{"exit_status":"{}","submission":"","model_stats":{{"instance_cost":0.25,"api_calls":{}}},)"
      R"("mini_version":"{}","config":{{"agent":{{"step_limit":9}},"model":{{"model_name":"lab/small-1"}},)"
      R"("environment":{{}},"agent_type":"minisweagent.agents.default.DefaultAgent"}}{}}})",
      exit_status, calls, version, more);
}

std::string document(const std::string& information, const std::string& messages, const std::string& format) {
  return fmt::format(
      R"({{{},"messages":[{}],"trajectory_format":"mini-swe-agent-{}","instance_id":"harbor__tide-17"}})", information,
      messages, format);
}

constexpr const char* kPrompts =
    R"({"role":"system","content":"Use the shell."},)"
    R"({"role":"user","content":"<pr_description>\nThe tide clock is late.\n</pr_description>\nMend it."})";

std::string v1_answer(const std::string& text, int prompt, int completion, double cost = 0.125) {
  return fmt::format(
      R"({{"role":"assistant","content":"{}","extra":{{"response":{{"id":"r","model":"small-1","created":1700000000,)"
      R"("choices":[{{"message":{{"content":"again","reasoning":"hm"}}}}],"usage":{{"prompt_tokens":{},)"
      R"("completion_tokens":{},"prompt_tokens_details":{{"cached_tokens":7}},"cost":{}}}}}}}}})",
      text, prompt, completion, cost);
}

std::string v2_answer(const std::string& text, const std::string& id, const std::string& command, int prompt = 100) {
  const std::string call = fmt::format(
      R"({{"id":"{}","type":"function","function":{{"name":"bash","arguments":"{{\"command\": \"{}\"}}"}}}})", id,
      command);
  return fmt::format(
      R"({{"content":{},"role":"assistant","tool_calls":[{}],"function_call":null,"provider_specific_fields":null,)"
      R"("reasoning_content":"so","extra":{{"actions":[{{"command":"{}","tool_call_id":"{}"}}],"response":{{"model":)"
      R"("small-1","choices":[{{"message":{{"content":"x","tool_calls":[{}]}}}}],"usage":{{"prompt_tokens":{},)"
      R"("completion_tokens":11,"prompt_tokens_details":{{"cached_tokens":40}}}}}},"cost":0.5,)"
      R"("timestamp":1700000000.25}}}})",
      text, call, command, id, call, prompt);
}

std::string v2_result(const std::string& id, const std::string& text) {
  return fmt::format(
      R"({{"role":"tool","tool_call_id":"{}","content":"{}","extra":{{"raw_output":"much more","returncode":0,)"
      R"("timestamp":1700000001.5,"exception_info":""}}}})",
      id, text);
}

constexpr const char* kExit =
    R"({"role":"exit","content":"diff","extra":{"exit_status":"Submitted","submission":"diff"}})";

std::string text_at(const Episode& episode, std::uint32_t step) {
  std::string all;
  for (const Message& message : episode.messages) {
    if (message.visible_at(step)) all += std::string(message.id) + " ";
  }
  return all;
}

TEST_CASE("a v1 run becomes an episode", "[mini-swe-agent]") {
  const std::string bytes =
      document(info("1.15.0", "Submitted", 2),
               std::string(kPrompts) + "," + v1_answer("I look.\\n```bash\\nls\\n```", 10, 3) +
                   R"(,{"role":"user","content":"<returncode>0</returncode>\n<output>\nclock.c</output>"},)" +
                   v1_answer("Done.\\n```bash\\nsubmit\\n```", 20, 4) + R"(,{"role":"user","content":"the patch"})",
               "1");
  const Reading reading = read(bytes);
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "harbor__tide-17");
  CHECK(episode.task_id == "harbor__tide-17");
  CHECK(episode.configuration == "small-1");
  CHECK(episode.run == "first");
  CHECK(episode.repo == "harbor/tide");
  CHECK(episode.model == "lab/small-1");
  CHECK(episode.task_text == "The tide clock is late.");
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.end_reason == "Submitted");
  CHECK_FALSE(episode.outcome);
  REQUIRE(episode.totals);
  CHECK(episode.totals->calls == 2U);
  CHECK(episode.totals->cost_usd == 0.25);
  REQUIRE(episode.steps.size() == 2);
  const Step& first = episode.steps[0];
  CHECK(first.response == "I look.\n```bash\nls\n```");
  CHECK(first.reasoning == "hm");
  REQUIRE(first.actions.size() == 1);
  CHECK(first.actions[0].name == "bash");
  CHECK(first.actions[0].arguments == R"({"command":"ls"})");
  REQUIRE(first.results.size() == 1);
  CHECK(episode.texts[episode.messages[first.results[0].message].versions[0].text] ==
        "<returncode>0</returncode>\n<output>\nclock.c</output>");
  CHECK(first.usage.input == 10U);
  CHECK(first.usage.cached_input == 7U);
  CHECK(first.usage.output == 3U);
  CHECK(first.cost_usd == 0.125);
  CHECK(first.time == "2023-11-14T22:13:20.000Z");
  CHECK(first.model == "small-1");
  CHECK(text_at(episode, 1) == "m0 m1 ");
  CHECK(text_at(episode, 2) == "m0 m1 m2 m3 ");
  CHECK(episode.messages[0].origin == Origin::system);
  CHECK(episode.messages[1].origin == Origin::task);
}

TEST_CASE("a v2 run with tool calls becomes an episode", "[mini-swe-agent]") {
  const std::string bytes =
      document(info("2.2.7", "Submitted", 2),
               std::string(kPrompts) + "," + v2_answer("\"I look.\"", "call_0", "ls") + "," +
                   v2_result("call_0", "clock.c") + "," + v2_answer("\"\"", "call_1", "submit", 120) + "," + kExit,
               "1.1");
  const Reading reading = read(bytes);
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.source.format_version == "1.1");
  REQUIRE(episode.steps.size() == 2);
  // Each call stands three times: in the message, in the raw answer and in the list of what was run.
  REQUIRE(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].actions[0].id == "call_0");
  CHECK(episode.steps[0].actions[0].arguments == R"({"command": "ls"})");
  REQUIRE(episode.steps[0].results.size() == 1);
  CHECK(episode.steps[0].results[0].action == "call_0");
  CHECK(episode.texts[episode.messages[episode.steps[0].results[0].message].versions[0].text] == "clock.c");
  CHECK(episode.steps[0].reasoning == "so");
  CHECK(episode.steps[0].cost_usd == 0.5);
  CHECK(episode.steps[0].time == "2023-11-14T22:13:20.250Z");
  CHECK(episode.steps[0].usage.cached_input == 40U);
  SECTION("the last call has no tool message, and the exit message is in no input") {
    CHECK(episode.steps[1].results.empty());
    const Message& last = episode.messages.back();
    CHECK(episode.texts[last.versions[0].text] == "diff");
    CHECK(last.end_step <= last.first_step);
    CHECK(text_at(episode, 2) == "m0 m1 m2 m3 ");
  }
}

TEST_CASE("two tool calls of one turn get their results by id", "[mini-swe-agent]") {
  const std::string call = R"({{"id":"{0}","function":{{"name":"{1}","arguments":"{2}"}}}})";
  const std::string answer = R"({"role":"assistant","content":null,"tool_calls":[)" +
                             fmt::format(fmt::runtime(call), "a", "bash", R"({\"command\":\"ls\"})") + "," +
                             fmt::format(fmt::runtime(call), "b", "recall", "no json") +
                             R"(],"extra":{"actions":[{"command":"ls","tool_call_id":"a"}]}})";
  const Reading reading = read(document(info("2.2.7", "", 1),
                                        std::string(kPrompts) + "," + answer + "," + v2_result("b", "note") + "," +
                                            v2_result("a", "files") + "," + v2_result("a", "again"),
                                        "1.1"));
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 1);
  const Step& step = episode.steps[0];
  CHECK(step.response.empty());
  REQUIRE(step.actions.size() == 2);
  CHECK(step.actions[1].name == "recall");
  CHECK(step.actions[1].arguments == R"("no json")");
  REQUIRE(step.results.size() == 2);
  CHECK(step.results[0].action == "b");
  CHECK(step.results[1].action == "a");
  CHECK(reading.count(Fault::unmatched_result) == 1);
  CHECK(episode.texts[episode.messages.back().versions[0].text] == "again");
  CHECK_FALSE(episode.end_reason);
}

TEST_CASE("text-based v2 models are answered in order", "[mini-swe-agent]") {
  const std::string answer =
      R"({"role":"assistant","content":"```mswea_bash_command\nls\n```","extra":{"actions":[{"command":"ls"}]}})";
  const std::string result = R"({"role":"user","content":"clock.c","extra":{"raw_output":"clock.c","returncode":0}})";
  const std::string rejection =
      R"({"role":"user","content":"One action, please.","extra":{"interrupt_type":"FormatError"}})";
  const std::string person = R"({"role":"user","content":"Hurry.","extra":{"interrupt_type":"UserInterruption"}})";
  const Reading reading = read(document(
      info("2.0.0", "", 2),
      std::string(kPrompts) + "," + answer + "," + result + "," + rejection + "," + person + "," + answer, "1.1"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].results.size() == 1);
  CHECK(text_at(episode, 2) == "m0 m1 m2 m3 m4 m5 ");
  CHECK(episode.messages[4].origin == Origin::other);
  CHECK(episode.messages[5].origin == Origin::user);
}

TEST_CASE("answers of the Responses interface have no role", "[mini-swe-agent]") {
  const std::string answer =
      R"({"id":"resp_1","object":"response","created_at":1700000000,"model":"small-1","status":"completed","output":[)"
      R"({"type":"reasoning","summary":[{"type":"summary_text","text":"think"}]},)"
      R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},)"
      R"({"type":"function_call","call_id":"fc","name":"bash","arguments":"{\"command\":\"ls\"}"}],)"
      R"("usage":{"input_tokens":50,"output_tokens":6,"input_tokens_details":{"cached_tokens":4}},)"
      R"("extra":{"actions":[{"command":"ls","tool_call_id":"fc"}],"cost":0.5}})";
  const std::string result =
      R"({"type":"function_call_output","call_id":"fc","output":"clock.c","extra":{"returncode":0,"raw_output":""}})";
  const std::string user = R"({"type":"message","role":"user","content":[{"type":"input_text","text":"The clock"},)"
                           R"({"type":"input_text","text":"is late."}]})";
  const Reading reading = read(document(info("2.1.0", "", 1), user + "," + answer + "," + result, "1.1"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.task_text == "The clock\nis late.");
  REQUIRE(episode.steps.size() == 1);
  const Step& step = episode.steps[0];
  CHECK(step.response == "I look.");
  CHECK(step.reasoning == "think");
  CHECK(step.usage.input == 50U);
  CHECK(step.usage.cached_input == 4U);
  CHECK(step.usage.output == 6U);
  CHECK(step.time == "2023-11-14T22:13:20.000Z");
  REQUIRE(step.actions.size() == 1);
  CHECK(step.actions[0].arguments == R"({"command":"ls"})");
  REQUIRE(step.results.size() == 1);
  CHECK(step.results[0].action == "fc");
}

TEST_CASE("a bare array of messages is a run of an unknown agent", "[mini-swe-agent]") {
  const std::string bytes =
      R"([{"role":"system","content":"Write ```mswea_bash_command"},{"role":"user","content":"Mend the clock."},)"
      R"({"role":"assistant","content":"```mswea_bash_command\nls\n```\nand not\n```bash\nrm x\n```"},)"
      R"({"role":"user","content":"<returncode>0</returncode>"}])";
  CHECK(detected(bytes) == "bare");
  const Reading reading = read(bytes);
  CHECK(reading.count(Fault::unnamed_configuration) == 1);
  const Episode& episode = reading.only();
  CHECK(episode.id == "harbor__tide-17");
  CHECK(episode.configuration == "unnamed");
  CHECK(episode.visibility == VisibilityGrade::unknown);
  CHECK(episode.source.format_version == "bare");
  CHECK_FALSE(episode.end_reason);
  CHECK_FALSE(episode.totals);
  REQUIRE(episode.steps.size() == 1);
  REQUIRE(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].actions[0].arguments == R"({"command":"ls"})");
  CHECK(episode.steps[0].results.size() == 1);
}

TEST_CASE("v1 answers without exactly one block run nothing", "[mini-swe-agent]") {
  const std::string none = v1_answer("I wonder.", 10, 3);
  const std::string two = v1_answer("```bash\\na\\n```\\n```bash\\nb\\n```", 20, 3);
  const std::string error = R"(,{"role":"user","content":"Exactly one action, please."},)";
  const Reading reading =
      read(document(info("1.15.0", "LimitsExceeded", 3),
                    std::string(kPrompts) + "," + none + error + two + error + v1_answer("```bash\\na\\n```", 30, 3) +
                        R"(,{"role":"user","content":"ok"},{"role":"user","content":"limits"})",
                    "1"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 3);
  for (const std::size_t i : {0U, 1U}) {
    CHECK(episode.steps[i].actions.empty());
    CHECK(episode.steps[i].results.empty());
  }
  CHECK(text_at(episode, 3) == "m0 m1 m2 m3 m4 m5 ");
  CHECK(episode.messages[3].origin == Origin::other);
  SECTION("the end of the run answers no action") {
    CHECK(episode.steps[2].results.size() == 1);
    CHECK(episode.messages.back().id == "m8");
    CHECK(episode.messages.back().first_step == 4);
    CHECK(episode.messages.back().origin == Origin::other);
  }
}

TEST_CASE("calls without an answer are noted", "[mini-swe-agent]") {
  const Reading reading =
      read(document(info("2.2.7", "Timeout", 1),
                    std::string(kPrompts) +
                        R"(,{"role":"exit","content":"no answer","extra":{"exit_status":"Timeout","submission":"",)"
                        R"("exception_str":"x","traceback":"y"}})",
                    "1.1"));
  const Episode& episode = reading.only();
  CHECK(episode.steps.empty());
  CHECK(episode.end_reason == "Timeout");
  CHECK(episode.totals->calls == 1U);
  REQUIRE(reading.diagnostics.size() == 1);
  CHECK(reading.diagnostics[0].fault == Fault::stated_count);
  CHECK(reading.diagnostics[0].severity == Severity::note);
}

TEST_CASE("an answer that only its rejection holds is a step of its own", "[mini-swe-agent]") {
  const std::string rejection =
      R"({"role":"user","content":"Call the tool.","extra":{"interrupt_type":"FormatError","cost":0.5,"response":)"
      R"({"choices":[{"message":{"content":"I just talk."}}],"usage":{"prompt_tokens":50,"completion_tokens":5}}}})";
  const Reading reading = read(document(
      info("2.3.0", "", 2), std::string(kPrompts) + "," + rejection + "," + v2_answer("\"x\"", "c", "ls"), "1.1"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.size() == 2);
  CHECK(episode.steps[0].response == "I just talk.");
  CHECK(episode.steps[0].usage.input == 50U);
  CHECK(episode.steps[0].cost_usd == 0.5);
  CHECK(text_at(episode, 2) == "m0 m1 m2 ");
}

TEST_CASE("a submission that an extension has changed is kept beside the first one", "[mini-swe-agent]") {
  std::string information = info("2.2.7", "Submitted", 1, R"(,"patch_repair":{"changed":true})");
  information.replace(information.find(R"("submission":"")"), 15, R"("submission":"other diff")");
  const Reading reading =
      read(document(information, std::string(kPrompts) + "," + v2_answer("\"x\"", "c", "submit") + "," + kExit, "1.1"));
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  REQUIRE(episode.messages.size() == 5);
  CHECK(episode.messages[3].id == "m3");
  CHECK(episode.messages[4].id == "info.submission");
  CHECK(episode.texts[episode.messages[4].versions[0].text] == "other diff");
  CHECK(episode.tags.back().key == "patch_repair");
  CHECK(episode.tags.back().value == R"({"changed":true})");
}

TEST_CASE("the same tool id in two turns belongs to each", "[mini-swe-agent]") {
  const std::string turn = v2_answer("\"x\"", "call_00", "ls") + "," + v2_result("call_00", "y");
  const Reading reading = read(document(info("2.2.7", "", 2), std::string(kPrompts) + "," + turn + "," + turn, "1.1"));
  CHECK(reading.diagnostics.empty());
  for (const Step& step : reading.only().steps) CHECK(step.results.size() == 1);
}

TEST_CASE("odd characters in texts", "[mini-swe-agent]") {
  const Reading reading = read(document(info("2.2.7", "", 1),
                                        std::string(kPrompts) + "," + v2_answer("\"x\"", "c", "ls") + "," +
                                            v2_result("c", R"(a\u0000b \ud83d\ude00 \ud83d)"),
                                        "1.1"));
  const Episode& episode = reading.only();
  using namespace std::string_literals;
  CHECK(episode.texts[episode.messages.back().versions[0].text] == "a\0b \xF0\x9F\x98\x80 \xEF\xBF\xBD"s);
  REQUIRE(reading.diagnostics.size() == 1);
  CHECK(reading.diagnostics[0].fault == Fault::lone_surrogate);
}

TEST_CASE("the model saw the template's text, elided as it is, and not the raw output", "[mini-swe-agent]") {
  const std::string elided = R"(<returncode>0</returncode>\n<warning>long</warning>\n<output_head>a</output_head>\n)"
                             R"(<elided_chars>9</elided_chars>\n<output_tail>z</output_tail>)";
  const Reading reading =
      read(document(info("2.2.7", "", 1),
                    std::string(kPrompts) + "," + v2_answer("\"x\"", "c", "ls") + "," + v2_result("c", elided), "1.1"));
  const std::string text = test::episode_text(reading.only());
  CHECK(text.find("<elided_chars>9</elided_chars>") != std::string::npos);
  CHECK(text.find("much more") == std::string::npos);
}

TEST_CASE("parts of content that are no text leave a gap", "[mini-swe-agent]") {
  const std::string parts =
      R"({"role":"user","content":[{"type":"text","text":"See","cache_control":{}},{"type":"image_url","image_url":{}}]})";
  const Reading reading = read(document(info("2.2.7", "", 0), parts, "1.1"));
  CHECK(reading.only().task_text == "See");
  CHECK(reading.only().visibility == VisibilityGrade::partial);
  CHECK(reading.count(Fault::unknown_type) == 1);
}

TEST_CASE("forks that send less than they keep are found out", "[mini-swe-agent]") {
  const auto grade = [](const std::string& information, int first, int second) {
    const Reading reading = read(document(information,
                                          std::string(kPrompts) + "," + v2_answer("\"x\"", "c", "ls", first) + "," +
                                              v2_result("c", "y") + "," + v2_answer("\"x\"", "d", "ls", second),
                                          "1.1"));
    const Episode& episode = reading.only();
    CHECK((episode.visibility == VisibilityGrade::partial) == (reading.count(Fault::shortened_input) == 1));
    return episode.visibility;
  };
  const std::string stock = info("2.2.7", "", 2);
  CHECK(grade(stock, 1000, 1200) == VisibilityGrade::rebuilt);
  CHECK(grade(stock, 1000, 960) == VisibilityGrade::rebuilt);  // another provider's way of counting
  CHECK(grade(stock, 1000, 600) == VisibilityGrade::partial);
  std::string trims = stock;
  trims.replace(trims.find(R"("step_limit":9)"), 14, R"("max_context_tokens":9)");
  CHECK(grade(trims, 1000, 1200) == VisibilityGrade::partial);
  std::string fork = stock;
  fork.replace(fork.find("agents.default.DefaultAgent"), 27, "agents.chain.ChainAgent");
  CHECK(grade(fork, 1000, 1200) == VisibilityGrade::partial);
  std::string unsaid = stock;
  unsaid.replace(unsaid.find(R"("agent_type")"), 12, R"("environment_type")");
  CHECK(grade(unsaid, 1000, 1200) == VisibilityGrade::unknown);
}

TEST_CASE("thoughts that leave the prompt are no cut", "[mini-swe-agent]") {
  std::string first = v1_answer("```bash\\na\\n```", 1000, 500);
  first.replace(first.find(R"("cost":)"), 7, R"("completion_tokens_details":{"reasoning_tokens":400},"cost":)");
  const Reading reading = read(document(
      info("1.15.0", "", 2),
      std::string(kPrompts) + "," + first + R"(,{"role":"user","content":"ok"},)" + v1_answer("no block", 700, 5),
      "1"));
  CHECK(reading.only().visibility == VisibilityGrade::rebuilt);
}

TEST_CASE("costs of 0 are unknown", "[mini-swe-agent]") {
  std::string information = info("1.15.0", "Submitted", 1);
  information.replace(information.find("0.25"), 4, "0.00");
  const Reading reading = read(document(information, std::string(kPrompts) + "," + v1_answer("x", 10, 3, 0.0), "1"));
  CHECK_FALSE(reading.only().totals->cost_usd);
  CHECK_FALSE(reading.only().steps[0].cost_usd);
}

TEST_CASE("the user's names win, since a trajectory names neither configuration nor run", "[mini-swe-agent]") {
  ReadOptions options;
  options.configuration = "notes";
  options.run = "r7";
  const Reading reading = read(document(info("2.2.7", "", 0), kPrompts, "1.1"), options);
  CHECK(reading.only().configuration == "notes");
  CHECK(reading.only().run == "r7");
}

TEST_CASE("unknown minor versions and foreign fields are read and counted", "[mini-swe-agent]") {
  const std::string bytes =
      R"({"trajectory_format":"mini-swe-agent-1.2","info":{"host":"h"},"messages":[{"role":"user","content":"t","mood":1},)"
      R"({"role":"wizard","content":"?"},{"content":"?"},7,{"role":"user","content":"u","mood":1}]})";
  CHECK(detected(bytes) == "1.2");
  ReadOptions options;
  options.configuration = "c";
  const Reading reading = read(bytes, options);
  CHECK(reading.only().source.format_version == "1.2");
  CHECK(reading.only().messages.size() == 2);
  CHECK(reading.only().visibility == VisibilityGrade::partial);
  CHECK(reading.count(Fault::unknown_field) == 2);
  CHECK(reading.count(Fault::unknown_value) == 1);
  CHECK(reading.count(Fault::missing_field) == 1);
  CHECK(reading.count(Fault::not_an_object) == 1);
}

TEST_CASE("faults in messages are placed by line and byte", "[mini-swe-agent]") {
  const std::string bytes =
      "\xEF\xBB\xBF{\"messages\": [\n {\"role\": \"user\", \"content\": \"t\"},\n {\"role\": 3}\n]}";
  const Reading reading = read(bytes);
  const auto found = std::find_if(reading.diagnostics.begin(), reading.diagnostics.end(),
                                  [](const Diagnostic& d) { return d.fault == Fault::missing_field; });
  REQUIRE(found != reading.diagnostics.end());
  CHECK(found->line == 3);
  CHECK(found->byte == bytes.find("{\"role\": 3"));
}

TEST_CASE("documents that cannot be used are set aside whole", "[mini-swe-agent]") {
  const std::string good = document(info("2.2.7", "", 0), kPrompts, "1.1");
  const auto fault_of = [](const Reading& reading) {
    CHECK(reading.episodes.empty());
    REQUIRE_FALSE(reading.diagnostics.empty());
    return reading.diagnostics.front();
  };
  SECTION("cut off") {
    CHECK(fault_of(read(good.substr(0, good.size() - 9))).fault == Fault::invalid_json);
  }
  SECTION("one more behind it") {
    CHECK(fault_of(read(good + "\n" + good)).fault == Fault::trailing_content);
  }
  SECTION("no messages") {
    CHECK(fault_of(read("{" + info("2.2.7", "", 0) + "}")).fault == Fault::missing_field);
  }
  SECTION("longer than the limit") {
    ReadOptions options;
    options.max_record_bytes = good.size() - 1;
    CHECK(fault_of(read(good, options)).fault == Fault::line_too_long);
    options.max_record_bytes = good.size();
    CHECK(read(good, options).episodes.size() == 1);
  }
  SECTION("nested without end") {
    CHECK(fault_of(read(R"({"messages":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}")).fault ==
          Fault::nesting_too_deep);
  }
  SECTION("a condenser's side log") {
    const std::string log =
        R"({"timestamp":"t","step_count":2,"message_count":5,"model_name":"m","input":"[Message 0] system:\nx"})"
        "\n";
    CHECK(detected(log) == "condenser-log");
    const Diagnostic diagnostic = fault_of(read(log));
    CHECK(diagnostic.fault == Fault::side_log);
    CHECK(diagnostic.severity == Severity::warning);
  }
}

TEST_CASE("detection looks at content, also of a document that is cut", "[mini-swe-agent]") {
  const std::string good = document(info("2.2.7", "", 0), kPrompts, "1.1");
  CHECK(detected(good) == "1.1");
  CHECK(detected(document(info("1.17.0", "", 0), kPrompts, "1")) == "1");
  CHECK(detected(good.substr(0, good.find("config"))) == "1.1");
  CHECK(detected("\xEF\xBB\xBF \n" + good) == "1.1");
  SECTION("a long submission hides all the rest") {
    CHECK(detected(R"({"info":{"exit_status":"Submitted","submission":")" + std::string(9000, 'x')).empty());
  }
  SECTION("no info, but the marks of the tool's messages") {
    CHECK(detected(R"({"messages":[{"role":"assistant","extra":{"actions":[)").empty());
    CHECK(detected(R"([{"role":"system","content":"x"},{"role":"exit","content":"","extra":{}}])") == "bare");
    CHECK(detected(R"([{"role":"user","content":"<returncode>1</returncode>"}])") == "bare");
  }
  SECTION("other formats are left to others") {
    for (const char* other : {
             "",
             "PK\x03\x04",
             "[",
             "{",
             "[]",
             "{}",
             "[[]]",
             R"([{"role":"user","content":"hello"},{"role":"assistant","content":"hi"}])",
             R"([{"role":"user","content":"what does <returncode> mean?"}])",
             R"({"messages":[{"role":"user","content":"<returncode>1</returncode>"}],"response":{}})",
             R"({"response":{},"messages":[{"role":"assistant","extra":{"actions":[]}}]})",
             R"({"trajectory_format":"other-1","info":{"mini_version":"2.0.0"}})",
             R"({"environment":"main","trajectory":[],"history":[],"info":{"exit_status":"submitted"}})",
             R"({"info":{"exit_status":"submitted","submission":"x"},"trajectory":[]})",
             R"({"info":{"exit_status":"submitted","submission":"x"},"task":1})",
             R"({"schema_version":"ATIF-v1.4","info":{"mini_version":"2.0.0"}})",
             R"([{"task_id":1,"reward":1.0,"traj":[{"role":"user","content":"<returncode>"}]}])",
             R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t"})",
             R"({"info":"mini_version"})",
         }) {
      CAPTURE(other);
      CHECK(detected(other) == "no");
    }
  }
}

TEST_CASE("a trajectory read again is the same episode", "[mini-swe-agent]") {
  const test::TemporaryFolder folder;
  const std::string bytes =
      "\xEF\xBB\xBF" + document(info("2.2.7", "Submitted", 2),
                                std::string(kPrompts) + "," + v2_answer("\"x\"", "c", "ls") + "," +
                                    v2_result("c", "y") + "," + v2_answer("\"z\"", "d", "submit") + "," + kExit,
                                "1.1");
  const std::string path = folder.write("first/harbor__tide-17/harbor__tide-17.traj.json", bytes);
  Reading reading;
  DiagnosticLog log(path);
  mini_swe_agent_adapter().read(
      open_file(path), path, {}, [&](Episode&& episode) { reading.episodes.push_back(std::move(episode)); }, log);
  const Episode& episode = reading.only();
  CHECK(episode.run == "first");
  CHECK(episode.source.byte_begin == 0);
  CHECK(episode.source.byte_end == bytes.size());
  CHECK(episode.source.sha256 == sha256_hex(bytes));
  Fault fault = Fault::invalid_json;
  std::string detail;
  const auto again = EpisodeRereader().read(episode.source, {}, fault, detail);
  REQUIRE(again);
  CHECK(test::episode_text(*again) == test::episode_text(episode));
}

}  // namespace
}  // namespace memuse::ingest
