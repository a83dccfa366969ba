// Real sessions of Claude Code: the counts that the format note gives for them, and every other file of the samples.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "ingest/claude_code.h"
#include "support/ingested.h"

namespace memuse::ingest {
namespace {

using test::Ingested;

std::filesystem::path session_samples() {
  return test::sample_traces("claude-code");
}

bool no_session_samples() {
  if (std::filesystem::exists(session_samples())) return false;
  WARN("skipped: no sample traces on this machine");
  return true;
}

/// Answers of models, and those that the tool wrote itself, which have a message id too.
std::size_t distinct_message_ids(const Episode& episode) {
  std::size_t count = episode.steps.size();
  for (const Message& message : episode.messages) {
    if (message.role == Role::assistant && message.of_step == 0) ++count;
  }
  return count;
}

struct SessionCounts {
  const char* file;
  std::size_t message_ids;
  bool boundary;
  std::uint64_t input_tokens;  ///< over the distinct message ids, cached ones included
};

constexpr SessionCounts kSessionCounts[] = {
    {"sessions/compact-2.0.76.jsonl", 13, true, 1304003},
    {"sessions/inline-subagent-2.1.19.jsonl", 4, false, 170528},
    {"sessions/summaries-2.0.76.jsonl", 6, false, 253819},
    {"sessions/two-records-on-one-line.slice-lines-100-150.jsonl", 12, false, 933028},
    {"spotter/ae4a77f8.slice-lines-1440-1560.jsonl", 11, true, 975785},
    {"agentcmd/full-session-two.jsonl", 11, false, 371011},
    {"scout/compaction_session.jsonl", 2, true, 180},
};

TEST_CASE("counts of real sessions of Claude Code", "[claude-code][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_session_samples()) return;
  for (const SessionCounts& expected : kSessionCounts) {
    CAPTURE(expected.file);
    const Ingested reading = test::ingest_file(session_samples() / expected.file);
    REQUIRE_FALSE(reading.episodes.empty());
    const Episode& episode = reading.episodes.front();
    CHECK(distinct_message_ids(episode) == expected.message_ids);
    std::uint64_t input = 0;
    for (const Step& step : episode.steps) input += step.usage.input.value_or(0);
    CHECK(input == expected.input_tokens);
    const bool dropped = std::any_of(episode.messages.begin(), episode.messages.end(), [](const Message& m) {
      return m.first_step < m.end_step && m.end_step != kNever;
    });
    CHECK(dropped == expected.boundary);
    CHECK_FALSE(episode.task_text.empty());
    CHECK(episode.visibility == VisibilityGrade::partial);
  }
}

TEST_CASE("a sub-agent inside a real session is an episode of its own", "[claude-code][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_session_samples()) return;
  const Ingested reading = test::ingest_file(session_samples() / "sessions/inline-subagent-2.1.19.jsonl");
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episodes[1].id == "163396cf-348b-4175-90f5-5ca0986ac0f1/agent-a102bdd");
  CHECK(reading.episodes[1].group == reading.episodes[0].id);
  std::set<std::string_view> ids;
  for (const Message& message : reading.episodes[0].messages) ids.insert(message.id);
  for (const Step& step : reading.episodes[1].steps) {
    REQUIRE(step.response_message);
    CHECK(ids.count(reading.episodes[1].messages[*step.response_message].id) == 0);
  }
}

TEST_CASE("compactions by a sub-agent count for cost only", "[claude-code][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_session_samples()) return;
  const Ingested reading = test::ingest_file(
      session_samples() / "spotter/fa812bfe-b295-4cca-9c2f-fdf01028cb46/subagents/agent-acompact-70d8e7.jsonl");
  CHECK(reading.only().steps.empty());
  CHECK(reading.only().side_calls.size() == 1);
  CHECK(reading.only().messages.size() == 15);
  CHECK(reading.only().run == "spotter");
}

TEST_CASE("every sample of Claude Code is read or refused with a reason", "[claude-code][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_session_samples()) return;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(session_samples())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string path = entry.path().string();
    CAPTURE(path);
    const Ingested reading = test::ingest_file(entry.path());
    if (path.find("not-claude") != std::string::npos) {
      CHECK(reading.format.empty());
      CHECK(reading.episodes.empty());
      CHECK(reading.count(Fault::unknown_format) == 1);
      continue;
    }
    CHECK(reading.format == "claude-code");
    CHECK_FALSE(reading.episodes.empty());
    CHECK(reading.count(Severity::error) == 0);
    for (const Episode& episode : reading.episodes) test::check_read_again(episode);
  }
  CHECK(files == 19);
}

TEST_CASE("samples of other formats are not taken for Claude Code", "[claude-code][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_session_samples()) return;
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(session_samples().parent_path())) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.find("/traces/claude-code/") != std::string::npos) continue;
    CAPTURE(path);
    const std::string bytes = test::read_file(path);
    CHECK_FALSE(claude_code_adapter().detect(std::string_view(bytes).substr(0, kDetectionBytes)));
    ++seen;
  }
  CHECK(seen > 50);
}

}  // namespace
}  // namespace memuse::ingest
