// Every file of the shared traces, by the real program: read as which format, with how many episodes, steps and tokens.
// The tests of each adapter hold its numbers against its notes; here nothing may be read as something else, or not at
// all, when a format is added.

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/data.h"
#include "support/program.h"

namespace memuse::test {
namespace {

using Json = nlohmann::json;

/// What a file comes to. An empty format: it is refused.
struct SharedFile {
  const char* path;
  const char* format;
  std::uint64_t episodes, steps, input_tokens, output_tokens;
};

// clang-format off
const std::vector<SharedFile>& shared_files() {
  static const std::vector<SharedFile> files{
    {"atif/phoenix/harbor_terminus2_sub_answers.json", "atif", 1, 1, 700, 120},
    {"atif/phoenix/harbor_terminus2_sub_questions.json", "atif", 1, 1, 100, 20},
    {"atif/phoenix/harbor_terminus2_sub_summary.json", "atif", 1, 1, 500, 200},
    {"atif/phoenix/harbor_terminus2_summarization.json", "atif", 1, 7, 6502, 690},
    {"atif/phoenix/multimodal_trajectory.json", "atif", 1, 2, 2600, 125},
    {"atif/phoenix/parallel_tools_mixed_results.json", "atif", 1, 2, 1200, 105},
    {"atif/phoenix/v17_embedded_subagents.json", "atif", 1, 1, 42, 12},
    {"atif/scout/openhands_hello-world.trajectory.json", "atif", 1, 2, 220, 80},
    {"atif/scout/terminus_2_hello-world-context-summarization-linear-history.trajectory.cont-1.json", "atif", 0, 0, 0, 0},
    {"atif/scout/terminus_2_hello-world-context-summarization-linear-history.trajectory.json", "atif", 1, 7, 6502, 690},
    {"chat-log/langfuse/claude-agent-2025-12-22.trace.json", "otel", 1, 4, 34, 232},
    {"chat-log/langfuse/langgraph-python-2025-08-22.trace.json", "chat-log", 1, 2, 168, 66},
    {"chat-log/langsmith/wrap_openai_js.json", "chat-log", 1, 1, 9, 9},
    {"chat-log/langsmith/wrap_openai_reasoning.json", "chat-log", 1, 1, 43, 2497},
    {"chat-log/openhands-llm-logs/fncall", "chat-log", 1, 6, 35428, 804},
    {"claude-code/agentcmd/full-session-askuserquestion.jsonl", "claude-code", 1, 3, 82869, 0},
    {"claude-code/agentcmd/full-session-two.jsonl", "claude-code", 1, 11, 371011, 0},
    {"claude-code/polylogue/claude-normalization-main.jsonl", "claude-code", 3, 4, 1425, 0},
    {"claude-code/scout/agent-atest01.jsonl", "claude-code", 1, 2, 200, 60},
    {"claude-code/scout/agent_session.jsonl", "claude-code", 1, 2, 300, 80},
    {"claude-code/scout/clear_split_session.jsonl", "claude-code", 2, 2, 110, 27},
    {"claude-code/scout/compaction_session.jsonl", "claude-code", 1, 2, 180, 40},
    {"claude-code/scout/slug_clear_partner.jsonl", "claude-code", 1, 1, 200, 100},
    {"claude-code/scout/slug_clear_session.jsonl", "claude-code", 2, 2, 180, 80},
    {"claude-code/sessions/compact-2.0.76.jsonl", "claude-code", 1, 12, 1304003, 1759},
    {"claude-code/sessions/hooks-2.1.31.jsonl", "claude-code", 1, 4, 105347, 0},
    {"claude-code/sessions/inline-subagent-2.1.19.jsonl", "claude-code", 2, 14, 801463, 0},
    {"claude-code/sessions/not-claude-gemini-session.full.jsonl", "", 0, 0, 0, 0},
    {"claude-code/sessions/summaries-2.0.76.jsonl", "claude-code", 1, 6, 253819, 0},
    {"claude-code/sessions/two-records-on-one-line.slice-lines-100-150.jsonl", "claude-code", 1, 12, 933028, 0},
    {"claude-code/spotter/ae4a77f8-aedd-4bc1-888f-c94edc91af04/subagents/agent-aac57f5.jsonl", "claude-code", 1, 3, 50496, 0},
    {"claude-code/spotter/ae4a77f8-aedd-4bc1-888f-c94edc91af04/subagents/agent-acompact-946d2b.jsonl", "claude-code", 1, 0, 0, 0},
    {"claude-code/spotter/ae4a77f8.slice-lines-1440-1560.jsonl", "claude-code", 1, 11, 975785, 0},
    {"claude-code/spotter/fa812bfe-b295-4cca-9c2f-fdf01028cb46/subagents/agent-acompact-70d8e7.jsonl", "claude-code", 1, 0, 0, 0},
    {"codex/exec-json/stream-output-1.jsonl", "codex", 1, 1, 2946, 7},
    {"codex/exec-json/stream-output-2.jsonl", "codex", 1, 2, 6040, 129},
    {"codex/exec-json/stream-output-3.jsonl", "codex", 1, 2, 6008, 51},
    {"codex/localpush/rollout-2026-02-23T12-41-04-019c8a4d-8f45-7010-8b5d-7fad920aa6f9.jsonl", "codex", 1, 28, 1751428, 14600},
    {"codex/localpush/rollout-2026-02-23T12-54-34.slice-lines-1700-1900.jsonl", "codex", 1, 21, 2491922, 15367},
    {"codex/localpush/rollout-2026-02-23T13-19-38-019c8a70-dda7-7f33-98ea-f30553347322.jsonl", "codex", 1, 1, 34469, 431},
    {"codex/localpush/rollout-2026-02-23T20-34-25-019c8bfe-ec25-79e0-97d7-bda6a9c575ff.jsonl", "codex", 1, 6, 298373, 1123},
    {"codex/polylogue/functions_exec_multiple.jsonl", "codex", 1, 1, 0, 0},
    {"codex/polylogue/interleaved_stream.jsonl", "codex", 1, 3, 0, 0},
    {"inspect-eval/derived/log_message_deduplication.zstd.eval", "inspect", 1, 6, 0, 0},
    {"inspect-eval/docent_intercode_ctf.eval", "inspect", 15, 147, 395844, 30038},
    {"inspect-eval/log_formats.eval", "inspect", 1, 1, 66, 2},
    {"inspect-eval/log_formats.json", "inspect", 1, 1, 66, 2},
    {"inspect-eval/log_message_deduplication.eval", "inspect", 1, 0, 0, 0},
    {"inspect-eval/log_streaming.eval", "inspect", 4, 4, 252, 6},
    {"inspect-eval/log_tool_call_error.json", "inspect", 0, 0, 0, 0},
    {"inspect-eval/log_with_nan.txt", "inspect", 0, 0, 0, 0},
    {"inspect-eval/mmlu-summary-choices.eval", "inspect", 1, 1, 153, 3},
    {"inspect-eval/scout_security-guide.eval", "inspect", 16, 16, 1003, 283},
    {"inspect-eval/scout_websearch.eval", "inspect", 1, 1, 587, 33},
    {"load/mini-swe-agent-400.tar.zst", "archive", 0, 0, 0, 0},
    {"mini-swe-agent/bare/github_issue.traj.json", "mini-swe-agent", 1, 10, 0, 0},
    {"mini-swe-agent/bare/local.traj.json", "mini-swe-agent", 1, 2, 0, 0},
    {"mini-swe-agent/forks/condenser-log.astropy__astropy-14096.jsonl", "mini-swe-agent", 0, 0, 0, 0},
    {"mini-swe-agent/v1/django__django-10999.traj.json", "mini-swe-agent", 1, 18, 115373, 4833},
    {"mini-swe-agent/v1/django__django-11163.traj.json", "mini-swe-agent", 1, 13, 71166, 2773},
    {"mini-swe-agent/v1/django__django-15103.traj.json", "mini-swe-agent", 1, 24, 149494, 5815},
    {"mini-swe-agent/v1/matplotlib__matplotlib-13989.traj.json", "mini-swe-agent", 1, 30, 367391, 5493},
    {"mini-swe-agent/v1/reports/django__django-10999.report.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v1/reports/django__django-11163.report.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v1/reports/django__django-15103.report.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v1/reports/matplotlib__matplotlib-13989.report.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v1/reports/scikit-learn__scikit-learn-14141.report.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v1/scikit-learn__scikit-learn-14141.traj.json", "mini-swe-agent", 1, 20, 217618, 1639},
    {"mini-swe-agent/v2/deepseek_bench1/astropy__astropy-12907.traj.json", "mini-swe-agent", 1, 36, 476463, 9218},
    {"mini-swe-agent/v2/deepseek_bench_dev/sqlfluff__sqlfluff-2419.traj.json", "mini-swe-agent", 1, 48, 467091, 4976},
    {"mini-swe-agent/v2/deepseek_lite_dev/sqlfluff__sqlfluff-2419.traj.json", "mini-swe-agent", 1, 41, 332906, 5196},
    {"mini-swe-agent/v2/deepseek_lite_dev_noparallel/pvlib__pvlib-python-1606.traj.json", "mini-swe-agent", 1, 84, 2068628, 18874},
    {"mini-swe-agent/v2/deepseek_reasoner_dev/pvlib__pvlib-python-1154.traj.json", "mini-swe-agent", 1, 0, 0, 0},
    {"mini-swe-agent/v2/deepseek_reasoner_dev/pvlib__pvlib-python-1606.traj.json", "mini-swe-agent", 1, 4, 17347, 318},
    {"mini-swe-agent/v2/results/astropy__astropy-12907.report.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v2/results/deepseek__deepseek-chat.deepseek_chat_dev.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v2/results/deepseek__deepseek-chat.deepseek_chat_test_1-100.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v2/results/deepseek__deepseek-chat.deepseek_lite_dev_noparallel.json", "swe-bench-report", 0, 0, 0, 0},
    {"mini-swe-agent/v2/results/exit_statuses.deepseek_reasoner_dev.yaml", "", 0, 0, 0, 0},
    {"openhands/multi_swe_bench.output.jsonl", "openhands", 3, 105, 1913342, 13341},
    {"openhands/sdk-events/base_state.json", "", 0, 0, 0, 0},
    {"openhands/sdk-events/events.jsonl", "openhands", 1, 2, 107458, 1347},
    {"openhands/trajs/basic.json", "openhands", 1, 2, 8132, 1312},
    {"openhands/trajs/basic_gui_mode.json", "openhands", 1, 5, 17297, 2024},
    {"openhands/trajs/wrong_initial_state.json", "openhands", 1, 4, 14828, 358},
    {"otel-genai/langfuse/google-adk-2025-08-28.trace.json", "otel", 1, 2, 67, 9},
    {"otel-genai/langfuse/microsoft-agent-2025-12-17.trace.json", "otel", 1, 2, 293, 106},
    {"otel-genai/langfuse/openai-agents-2025-09-30.trace.json", "otel", 1, 2, 140, 44},
    {"otel-genai/langfuse/pydantic-ai-2025-06-06.trace.json", "otel", 1, 1, 31, 96},
    {"otel-genai/langfuse/pydantic-ai-tools-2025-12-04.trace.json", "otel", 1, 3, 1184, 140},
    {"otel-genai/langfuse/vercel-aisdk-2025-11-17.trace.json", "otel", 1, 1, 62, 85},
    {"otel-genai/schemas/gen-ai-input-messages.json", "", 0, 0, 0, 0},
    {"otel-genai/schemas/gen-ai-output-messages.json", "", 0, 0, 0, 0},
    {"swe-agent/6e44b9__sweagenttestrepo-1c2844.traj", "swe-agent", 1, 5, 7141, 243},
    {"swe-agent/commit0-simpy.traj", "swe-agent", 1, 2, 28461, 5237},
    {"swe-agent/ctf-katy.traj", "swe-agent", 1, 18, 0, 0},
    {"swe-agent/function_calling_simple.traj", "swe-agent", 1, 5, 0, 0},
    {"swe-agent/humanevalfix-python-0.traj", "swe-agent", 1, 5, 0, 0},
    {"swe-agent/marshmallow-1867.default.traj", "swe-agent", 1, 14, 0, 0},
    {"swe-agent/marshmallow-1867.function_calling_replace_from_source.traj", "swe-agent", 1, 13, 0, 0},
    {"swe-agent/pydicom__pydicom-1458.traj", "swe-agent", 1, 12, 122612, 1369},
    {"tau-bench/gpt-4o-airline.slice-5-tasks.json", "tau-bench", 20, 191, 0, 0},
  };
  return files;
}
// clang-format on

/// The same log, packed in two ways: the database has its episode once.
bool is_copy(const std::string& path) {
  return path.find("log_message_deduplication") != std::string::npos;
}

}  // namespace

TEST_CASE("every shared trace is read with its numbers, or refused") {
  const std::filesystem::path folder = (shared_data() / ".." / "traces").lexically_normal();
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: " << folder << " is not there");
    return;
  }
  const TemporaryFolder work;
  const std::string prefix = folder.string() + "/";
  const Json check = Json::parse(run_memuse({"check", folder.string(), "--json"}).out);
  std::map<std::string, Json> files;
  for (const Json& file : check["files"]) files[file["path"]] = file;
  run_memuse({"ingest", folder.string(), "--db", work / "shared.db"});
  struct Sums {
    std::uint64_t steps = 0, input = 0, output = 0;
  };
  std::map<std::string, Sums> sums;
  std::uint64_t load_runs = 0;
  std::uint64_t load_steps = 0;
  std::istringstream rows(memuse_output({"export", "episodes", "--db", work / "shared.db"}));
  for (std::string row; std::getline(rows, row);) {
    const Json episode = Json::parse(row);
    const std::string path = episode["source_path"];
    if (path.find("mini-swe-agent-400.tar.zst!/") != std::string::npos) {
      ++load_runs;
      load_steps += episode["steps"].get<std::uint64_t>();
      continue;
    }
    Sums& sum = sums[path];
    sum.steps += episode["steps"].get<std::uint64_t>();
    sum.input += episode["agent_input_tokens"].get<std::uint64_t>();
    sum.output += episode["agent_output_tokens"].get<std::uint64_t>();
  }
  for (const SharedFile& expected : shared_files()) {
    INFO(expected.path);
    REQUIRE(files.contains(prefix + expected.path));
    const Json& file = files.at(prefix + expected.path);
    CHECK((file["format"].is_null() ? "" : file["format"].get<std::string>()) == expected.format);
    CHECK(file["episodes"] == expected.episodes);
    if (is_copy(expected.path)) continue;
    const Sums sum = sums[prefix + expected.path];
    CHECK(sum.steps == expected.steps);
    CHECK(sum.input == expected.input_tokens);
    CHECK(sum.output == expected.output_tokens);
  }
  CHECK(load_runs == 401);
  CHECK(load_steps == 16'266);
  const Json& records = check["records"];
  CHECK(records["read"].get<std::uint64_t>() ==
        records["kept"].get<std::uint64_t>() + records["set_aside"].get<std::uint64_t>());
}

}  // namespace memuse::test
