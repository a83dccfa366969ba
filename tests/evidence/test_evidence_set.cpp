#include "evidence/evidence_set.h"

#include "evidence_cases.h"

using namespace memuse;
using namespace memuse::test;
using Catch::Matchers::Contains;
using evidence::EvidenceSet;

namespace {

const std::string kA = "The relay answers on port 7719 only after a reset.";
const std::string kAShort = "The relay answers on port 7719";
const std::string kB = "Batches above 46 lines are refused.";

/// Worked example 1 of semantics.md §3.
Episode persistent_copies() {
  EpisodeBuilder builder;
  builder.message("sys", "You are careful.", {.role = Role::system, .origin = Origin::system});
  builder.message("task", "Set the port.", {.origin = Origin::task}).step();
  builder.message("a1", kA).delivery({.id = "d-a1", .message = "a1", .entries = {{"A", kA, {"A"}}}}).step();
  builder.message("b", kB).delivery({.id = "d-b", .message = "b", .entries = {{"B", kB, {"B"}}}}).step();
  builder.message("a2", kA).delivery({.id = "d-a2", .message = "a2", .entries = {{"A", kA, {"A"}}}}).step();
  builder.message("a3", kAShort).delivery({.id = "d-a3", .message = "a3", .entries = {{"A", kAShort, {"A"}}}}).steps(5);
  builder.drop("a1").drop("a2").drop("a3").step();
  builder.message("a4", kA).delivery({.id = "d-a4", .message = "a4", .entries = {{"A", kA, {"A"}}}}).steps(2);
  return builder.build();
}

}  // namespace

TEST_CASE("worked example 1: files, sections and sources of its spans") {
  const EvidenceCase scene(persistent_copies());
  REQUIRE(scene.spans().spans.size() == 4);

  const EvidenceSet first = scene.of(1);
  CHECK(names_of_files(first) ==
        std::vector<std::string>{"task", "target", "prior_context", "other_messages", "earlier_copies", "deliveries",
                                 "steps/0001", "steps/0002", "steps/0003", "steps/0004", "steps/0005", "steps/0006",
                                 "steps/0007", "steps/0008", "steps/0009", "steps/0010", "steps/0011", "steps/0012"});
  CHECK(first.delivery_sections().empty());
  CHECK(first.prior_context_steps() == std::vector<std::uint32_t>{1});
  CHECK_THAT(text_of(first, "target"), Contains("credit window: steps 2 to 9"));
  CHECK_THAT(text_of(first, "target"), Contains("delivered again for step 4."));
  CHECK(recorded_in(first, "other_messages") == std::vector<std::string>{"You are careful."});
  CHECK_THAT(text_of(first, "earlier_copies"), Contains("No earlier delivery of these items"));
  CHECK_THAT(text_of(first, "deliveries"), Contains("No other delivery can be seen in the input."));
}
