#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/otel.h"
#include "support/adapter_reading.h"
#include "support/data.h"

namespace memuse::ingest {
namespace {

/// What a sample's notes and fields say of it.
struct OtelSample {
  const char* file;
  std::size_t episodes;
  std::size_t steps;
  std::size_t actions;
  std::size_t results;
  std::size_t side_calls;
  std::uint64_t input;
  std::uint64_t output;
  double cost;
  VisibilityGrade visibility;  // of the first episode
};

struct OtelSums {
  std::size_t steps = 0;
  std::size_t actions = 0;
  std::size_t results = 0;
  std::size_t side_calls = 0;
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  double cost = 0;

  void add(const Usage& usage, std::optional<double> cost_usd) {
    input += usage.input.value_or(0);
    output += usage.output.value_or(0);
    cost += cost_usd.value_or(0);
  }
};

OtelSums sums_of(const test::AdapterReading& reading) {
  OtelSums sums;
  for (const Episode& episode : reading.episodes) {
    sums.steps += episode.steps.size();
    sums.side_calls += episode.side_calls.size();
    for (const Step& step : episode.steps) {
      sums.actions += step.actions.size();
      sums.results += step.results.size();
      sums.add(step.usage, step.cost_usd);
    }
    for (const SideCall& call : episode.side_calls) sums.add(call.usage, call.cost_usd);
  }
  return sums;
}

}  // namespace

TEST_CASE("the samples of spans are read with the counts that they state", "[otel]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder =
      (test::shared_data() / ".." / "traces" / "otel-genai" / "langfuse").lexically_normal();
  const std::vector<OtelSample> samples{
      // The agent's spans and the SDK's outer spans sum what the calls in them state: only the inner ones are calls.
      {"google-adk-2025-08-28.trace.json", 1, 2, 1, 1, 0, 28 + 39, 3 + 6, 4.0e-06 + 6.3e-06, VisibilityGrade::rebuilt},
      // The second request holds the tool's answer only: the conversation is kept by the service.
      {"microsoft-agent-2025-12-17.trace.json", 1, 2, 1, 1, 0, 77 + 216, 86 + 20, 0.00019125 + 0.000094,
       VisibilityGrade::partial},
      {"openai-agents-2025-09-30.trace.json", 1, 2, 1, 1, 0, 55 + 85, 15 + 29, 0.00023 + 0.000402,
       VisibilityGrade::rebuilt},
      {"pydantic-ai-2025-06-06.trace.json", 1, 1, 0, 0, 0, 31, 96, 0.0010375, VisibilityGrade::rebuilt},
      // Three calls of the agent in two runs, and one of the agent that evaluates them.
      {"pydantic-ai-tools-2025-12-04.trace.json", 1, 3, 3, 3, 1, 265 + 417 + 502 + 131, 73 + 53 + 14 + 69,
       0.00008355 + 0.00009435 + 0.0000837 + 0.00006105, VisibilityGrade::rebuilt},
      {"vercel-aisdk-2025-11-17.trace.json", 1, 1, 1, 1, 0, 62, 85, 0.0009275, VisibilityGrade::rebuilt},
  };
  for (const OtelSample& sample : samples) {
    INFO(sample.file);
    const std::string path = (folder / sample.file).string();
    const auto head = test::read_file(path).substr(0, kDetectionBytes);
    const auto detected = detect_format(head);
    REQUIRE(detected);
    CHECK(detected->adapter == &otel_adapter());
    const auto reading = test::read_path(otel_adapter(), path);
    CHECK(reading.count(Severity::error) == 0);
    REQUIRE(reading.episodes.size() == sample.episodes);
    const OtelSums sums = sums_of(reading);
    CHECK(sums.steps == sample.steps);
    CHECK(sums.actions == sample.actions);
    CHECK(sums.results == sample.results);
    CHECK(sums.side_calls == sample.side_calls);
    CHECK(sums.input == sample.input);
    CHECK(sums.output == sample.output);
    CHECK(sums.cost == Approx(sample.cost).epsilon(1e-5));
    CHECK(reading.episodes.front().visibility == sample.visibility);
    CHECK(reading.episodes.front().delivery_grade == DeliveryGrade::not_recorded);
    CHECK_FALSE(reading.episodes.front().outcome);
    test::check_read_again(otel_adapter(), reading.episodes.front());
  }
}

TEST_CASE("JSON schemas of the conventions' messages are no traces", "[otel]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder =
      (test::shared_data() / ".." / "traces" / "otel-genai" / "schemas").lexically_normal();
  for (const char* file : {"gen-ai-input-messages.json", "gen-ai-output-messages.json"}) {
    CHECK_FALSE(detect_format(test::read_file(folder / file).substr(0, kDetectionBytes)));
  }
}

}  // namespace memuse::ingest
