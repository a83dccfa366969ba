// Real rollouts of Codex: the counts that the format note gives for them, and every other file of the samples.

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <string_view>

#include "ingest/codex.h"
#include "support/ingested.h"

namespace memuse::ingest {
namespace {

using test::Ingested;

std::filesystem::path rollout_samples() {
  return test::sample_traces("codex");
}

bool no_rollout_samples() {
  if (std::filesystem::exists(rollout_samples())) return false;
  WARN("skipped: no sample traces on this machine");
  return true;
}

struct RolloutCounts {
  const char* file;
  std::size_t calls;
  std::size_t actions;
  std::size_t results;
  std::uint64_t input_tokens;  ///< over the distinct counts
  std::uint64_t output_tokens;
};

constexpr RolloutCounts kRolloutCounts[] = {
    {"rollout-2026-02-23T12-41-04-019c8a4d-8f45-7010-8b5d-7fad920aa6f9.jsonl", 28, 118, 118, 1751428, 14600},
    {"rollout-2026-02-23T20-34-25-019c8bfe-ec25-79e0-97d7-bda6a9c575ff.jsonl", 6, 5, 5, 298373, 1123},
    {"rollout-2026-02-23T13-19-38-019c8a70-dda7-7f33-98ea-f30553347322.jsonl", 1, 1, 0, 34469, 431},
};

TEST_CASE("counts of real rollouts of Codex", "[codex][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_rollout_samples()) return;
  for (const RolloutCounts& expected : kRolloutCounts) {
    CAPTURE(expected.file);
    const Ingested reading = test::ingest_file(rollout_samples() / "localpush" / expected.file);
    const Episode& episode = reading.only();
    CHECK(reading.diagnostics.empty());
    CHECK(episode.steps.size() == expected.calls);
    std::size_t actions = 0;
    std::size_t results = 0;
    std::uint64_t input = 0;
    std::uint64_t output = 0;
    for (const Step& step : episode.steps) {
      actions += step.actions.size();
      results += step.results.size();
      REQUIRE(step.usage.input);
      REQUIRE(step.usage.output);
      input += *step.usage.input;
      output += *step.usage.output;
    }
    CHECK(input == expected.input_tokens);
    CHECK(output == expected.output_tokens);
    CHECK(actions == expected.actions);
    CHECK(results == expected.results);
    CHECK(episode.visibility == VisibilityGrade::rebuilt);
    CHECK(episode.configuration == "gpt-5.3-codex");
    CHECK(std::string(expected.file).find(episode.id) != std::string::npos);
  }
}

TEST_CASE("a slice of a rollout around a compaction", "[codex][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_rollout_samples()) return;
  const Ingested reading =
      test::ingest_file(rollout_samples() / "localpush/rollout-2026-02-23T12-54-34.slice-lines-1700-1900.jsonl");
  const Episode& episode = reading.only();
  // 21 distinct totals, of which the first is that of a call before the slice.
  std::size_t counted = episode.side_calls.size();
  std::size_t actions = 0;
  for (const Step& step : episode.steps) {
    if (step.usage.input) ++counted;
    actions += step.actions.size();
  }
  CHECK(counted == 20);
  CHECK(actions == 27);
  CHECK(reading.count(Fault::unmatched_result) == 2);
  CHECK(episode.visibility == VisibilityGrade::partial);
}

TEST_CASE("every sample of Codex is read", "[codex][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_rollout_samples()) return;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(rollout_samples())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    CAPTURE(entry.path().string());
    const Ingested reading = test::ingest_file(entry.path());
    CHECK(reading.format == "codex");
    CHECK(reading.count(Severity::error) == 0);
    CHECK_FALSE(reading.only().steps.empty());
    test::check_read_again(reading.only());
  }
  CHECK(files == 9);
}

TEST_CASE("samples of other formats are not taken for Codex", "[codex][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (no_rollout_samples()) return;
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(rollout_samples().parent_path())) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.find("/traces/codex/") != std::string::npos) continue;
    CAPTURE(path);
    const std::string bytes = test::read_file(path);
    CHECK_FALSE(codex_adapter().detect(std::string_view(bytes).substr(0, kDetectionBytes)));
    ++seen;
  }
  CHECK(seen > 50);
}

}  // namespace
}  // namespace memuse::ingest
