// Real trajectories: the counts that the format note gives for them, and each stated input.

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ingest/swe_agent.h"
#include "support/adapter_reading.h"
#include "support/data.h"

namespace memuse::ingest {
namespace {

std::filesystem::path swe_samples() {
  return (test::shared_data() / ".." / "traces" / "swe-agent").lexically_normal();
}

struct SweCounts {
  std::size_t steps = 0;
  std::string version;
  VisibilityGrade visibility = VisibilityGrade::unknown;
  std::optional<std::uint64_t> api_calls = std::nullopt;
};

TEST_CASE("every sample of SWE-agent is read with the counts of its note", "[swe-agent]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::map<std::string, SweCounts> expected{
      {"pydicom__pydicom-1458.traj", {12, "0.x", VisibilityGrade::unknown, 12}},
      {"6e44b9__sweagenttestrepo-1c2844.traj", {5, "1.0", VisibilityGrade::rebuilt, 5}},
      {"marshmallow-1867.function_calling_replace_from_source.traj", {13, "1.0", VisibilityGrade::rebuilt, 13}},
      {"marshmallow-1867.default.traj", {14, "0.x", VisibilityGrade::unknown}},
      {"function_calling_simple.traj", {5, "1.0", VisibilityGrade::unknown}},
      {"commit0-simpy.traj", {2, "0.x", VisibilityGrade::unknown, 2}},
      {"ctf-katy.traj", {18, "0.x", VisibilityGrade::unknown}},
      {"humanevalfix-python-0.traj", {5, "0.x", VisibilityGrade::unknown}}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(swe_samples())) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    REQUIRE(expected.count(name) == 1);
    const SweCounts& wanted = expected.at(name);
    const std::string head = test::read_file(entry.path()).substr(0, kDetectionBytes);
    const auto detected = detect_format(head);
    REQUIRE(detected);
    CHECK(detected->adapter == &swe_agent_adapter());
    const test::AdapterReading reading = test::read_path(swe_agent_adapter(), entry.path());
    CHECK(reading.count(Severity::error) == 0);
    CHECK(reading.count(Fault::unknown_field) == 0);
    const Episode& episode = reading.only();
    CHECK(episode.steps.size() == wanted.steps);
    CHECK(episode.source.format_version == wanted.version);
    CHECK(episode.visibility == wanted.visibility);
    CHECK((episode.totals ? episode.totals->calls : std::nullopt) == wanted.api_calls);
    for (const Step& step : episode.steps) CHECK(step.actions.size() == 1);
    test::check_read_again(swe_agent_adapter(), episode);
    ++files;
  }
  CHECK(files == expected.size());
}

TEST_CASE("the inputs that a sample states are reproduced, and so they are from its history alone", "[swe-agent]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path path = swe_samples() / "marshmallow-1867.function_calling_replace_from_source.traj";
  nlohmann::json document = nlohmann::json::parse(test::read_file(path));
  const nlohmann::json steps = document["trajectory"];
  const auto check_inputs = [&](const Episode& episode) {
    REQUIRE(episode.steps.size() == 13);
    CHECK(episode.visibility == VisibilityGrade::rebuilt);
    CHECK(test::visible_texts(episode, 1).size() == 2);
    for (std::uint32_t step = 2; step <= 13; ++step) {
      std::vector<std::string> stated;
      for (const auto& message : steps[step - 2]["messages"]) stated.push_back(message["content"].get<std::string>());
      CHECK(test::visible_texts(episode, step) == stated);
    }
  };
  check_inputs(test::read_path(swe_agent_adapter(), path).only());
  for (auto& step : document["trajectory"]) step.erase("messages");
  check_inputs(test::read_bytes(swe_agent_adapter(), document.dump(), path.string()).only());
}

}  // namespace
}  // namespace memuse::ingest
