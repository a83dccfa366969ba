// Real trajectories: the counts that the format note gives for them, and every other file of the samples.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../support/data.h"
#include "../support/episode_text.h"
#include "ingest/episode_rereader.h"
#include "ingest/mini_swe_agent.h"
#include "ingest/pipeline.h"

namespace memuse::ingest {
namespace {

std::filesystem::path samples() {
  return (test::shared_data() / ".." / "traces" / "mini-swe-agent").lexically_normal();
}

struct FileReading {
  std::string format;
  std::vector<Episode> episodes;
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] std::size_t count(Severity severity) const {
    return static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(),
                                                  [&](const Diagnostic& d) { return d.severity == severity; }));
  }
};

FileReading read_sample(const std::filesystem::path& path) {
  FileReading reading;
  PipelineOptions options;
  options.jobs = 1;
  read_inputs(
      {Input{path.string(), false, false}}, options,
      [&](Episode&& episode) { reading.episodes.push_back(std::move(episode)); },
      [&](FileReport&& report) {
        reading.format = report.format;
        reading.diagnostics = std::move(report.diagnostics);
      });
  return reading;
}

struct CheckValues {
  const char* file;
  std::size_t assistant;
  std::uint64_t api_calls;
  std::uint64_t prompt_tokens;
  std::uint64_t completion_tokens;
  const char* exit;
};

constexpr CheckValues kCheckValues[] = {
    {"v1/django__django-11163", 13, 13, 71166, 2773, "Submitted"},
    {"v1/django__django-15103", 24, 24, 149494, 5815, "Submitted"},
    {"v1/matplotlib__matplotlib-13989", 30, 30, 367391, 5493, "Submitted"},
    {"v2/deepseek_bench_dev/sqlfluff__sqlfluff-2419", 48, 48, 467091, 4976, "Submitted"},
    {"v2/deepseek_lite_dev/sqlfluff__sqlfluff-2419", 41, 41, 332906, 5196, "Submitted"},
    {"v2/deepseek_bench1/astropy__astropy-12907", 36, 36, 476463, 9218, "Submitted"},
    {"v2/deepseek_lite_dev_noparallel/pvlib__pvlib-python-1606", 84, 85, 2068628, 18874, "Submitted"},
    {"v2/deepseek_reasoner_dev/pvlib__pvlib-python-1154", 0, 1, 0, 0, "Timeout"},
    {"v2/deepseek_reasoner_dev/pvlib__pvlib-python-1606", 4, 5, 17347, 318, "InternalServerError"},
};

TEST_CASE("counts of real mini-swe-agent runs", "[mini-swe-agent][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (!std::filesystem::exists(samples())) {
    WARN("skipped: no sample traces on this machine");
    return;
  }
  for (const CheckValues& expected : kCheckValues) {
    CAPTURE(expected.file);
    const std::filesystem::path path = samples() / (std::string(expected.file) + ".traj.json");
    const FileReading reading = read_sample(path);
    REQUIRE(reading.episodes.size() == 1);
    const Episode& episode = reading.episodes.front();
    std::uint64_t prompt = 0;
    std::uint64_t completion = 0;
    double cost = 0;
    for (const Step& step : episode.steps) {
      prompt += step.usage.input.value_or(0);
      completion += step.usage.output.value_or(0);
      cost += step.cost_usd.value_or(0);
    }
    CHECK(episode.steps.size() == expected.assistant);
    REQUIRE(episode.totals);
    CHECK(episode.totals->calls == expected.api_calls);
    CHECK(prompt == expected.prompt_tokens);
    CHECK(completion == expected.completion_tokens);
    CHECK(episode.end_reason == expected.exit);
    CHECK(cost == Approx(episode.totals->cost_usd.value_or(0)));
    CHECK(episode.id == path.filename().string().substr(0, path.filename().string().find(".traj")));
    CHECK(episode.run == path.parent_path().filename().string());
    CHECK(episode.visibility == VisibilityGrade::rebuilt);
    CHECK_FALSE(episode.task_text.empty());
    // The only thing to note in a stock file is a call without an answer.
    CHECK(reading.diagnostics.size() == (expected.assistant == expected.api_calls ? 0 : 1));
  }
}

TEST_CASE("actions of real runs have their results", "[mini-swe-agent][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (!std::filesystem::exists(samples())) return;
  SECTION("two answers without a command in a v1 run") {
    const FileReading reading = read_sample(samples() / "v1" / "django__django-15103.traj.json");
    REQUIRE(reading.episodes.size() == 1);
    const std::vector<Step>& steps = reading.episodes.front().steps;
    CHECK(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.actions.empty(); }) == 2);
    CHECK(std::all_of(steps.begin(), steps.end(),
                      [](const Step& s) { return s.actions.size() == s.results.size() && s.actions.size() <= 1; }));
  }
  SECTION("in a v2 run all but the last") {
    const FileReading reading = read_sample(samples() / "v2/deepseek_bench_dev/sqlfluff__sqlfluff-2419.traj.json");
    REQUIRE(reading.episodes.size() == 1);
    const std::vector<Step>& steps = reading.episodes.front().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(steps[i].actions.size() == 1);
      CHECK(steps[i].results.size() == (i + 1 < steps.size() ? 1 : 0));
    }
  }
}

TEST_CASE("every sample of mini-swe-agent is read or refused with a reason", "[mini-swe-agent][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (!std::filesystem::exists(samples())) return;
  std::size_t trajectories = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(samples())) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    CAPTURE(path);
    const FileReading reading = read_sample(path);
    if (path.ends_with(".traj.json")) {
      ++trajectories;
      REQUIRE(reading.format == "mini-swe-agent");
      REQUIRE(reading.episodes.size() == 1);
      CHECK(reading.count(Severity::error) == 0);
      CHECK(reading.count(Severity::note) <= 1);
      Fault fault = Fault::invalid_json;
      std::string detail;
      const Episode& episode = reading.episodes.front();
      ReadOptions options;
      options.configuration = episode.configuration;
      options.run = episode.run;
      const auto again = EpisodeRereader().read(episode.source, options, fault, detail);
      REQUIRE(again);
      CHECK(test::episode_text(*again) == test::episode_text(episode));
    } else {
      CHECK(reading.episodes.empty());
      CHECK(reading.diagnostics.size() <= 1);
      if (path.find("condenser-log") != std::string::npos) {
        REQUIRE(reading.diagnostics.size() == 1);
        CHECK(reading.diagnostics.front().fault == Fault::side_log);
      }
    }
  }
  CHECK(trajectories == 13);
}

TEST_CASE("samples of other formats are not taken for mini-swe-agent", "[mini-swe-agent][samples]") {
  MEMUSE_NEEDS_SHARED_DATA();
  if (!std::filesystem::exists(samples())) return;
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(samples().parent_path())) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.find("mini-swe-agent") != std::string::npos) continue;
    CAPTURE(path);
    const std::string bytes = test::read_file(path);
    CHECK_FALSE(mini_swe_agent_adapter().detect(std::string_view(bytes).substr(0, kDetectionBytes)));
    ++seen;
  }
  CHECK(seen > 50);
}

}  // namespace
}  // namespace memuse::ingest
