#include "value_tracing/memory_probe.h"

#include "traced.h"

using namespace memuse;
using namespace memuse::test;
using namespace memuse::value_tracing;

namespace {

MemoryProbe probe(MemoryProbeKind kind, std::vector<std::string> expect, std::vector<std::string> forbid,
                  std::vector<std::string> evidence = {}) {
  MemoryProbe made;
  made.task_id = "t";
  made.kind = kind;
  made.expect = std::move(expect);
  made.forbid = std::move(forbid);
  made.evidence = std::move(evidence);
  return made;
}

ScoredProbe score_commands(const MemoryProbe& asked, const std::vector<std::string>& commands) {
  EpisodeText text("Open the gate.");
  text.notes({{"N-1", "The gate takes key QX9-3300, since May QX9-4471."}});
  for (const std::string& command : commands) text.step("On it.", command);
  return score(episode_of(text), asked);
}

}  // namespace

TEST_CASE("an update is followed, mixed, missed or ignored") {
  const MemoryProbe update = probe(MemoryProbeKind::update, {"QX9-4471"}, {"QX9-3300"});
  const auto result = [&](const std::vector<std::string>& commands) { return score_commands(update, commands).result; };
  CHECK(result({"gate --key QX9-4471"}) == ProbeResult::followed);
  CHECK(result({"gate --key QX9-3300"}) == ProbeResult::stale_used);
  CHECK(result({"gate --key QX9-3300", "gate --key QX9-4471"}) == ProbeResult::mixed);
  CHECK(result({"gate --open"}) == ProbeResult::nothing_used);
  CHECK(score_commands(update, {"gate --key QX9-3300", "gate --key QX9-4471"}).ended_well == true);
  CHECK(score_commands(update, {"gate --key QX9-4471", "gate --key QX9-3300"}).ended_well == false);
  const MemoryProbe two = probe(MemoryProbeKind::update, {"QX9-4471", "Lane 5500"}, {});
  CHECK(score_commands(two, {"gate --key QX9-4471"}).result == ProbeResult::partly_followed);
  CHECK(score_commands(update, {"gate --key QX9-3300"}).memory_held_forbidden());
}

TEST_CASE("without expected values acting without the forbidden one follows") {
  const MemoryProbe deletion = probe(MemoryProbeKind::deletion, {}, {"QX9-3300"});
  CHECK(score_commands(deletion, {"gate --ask"}).result == ProbeResult::followed);
  CHECK(score_commands(deletion, {"gate --key QX9-3300"}).result == ProbeResult::stale_used);
  EpisodeText idle("Open the gate.");
  idle.add({{"type", "step"}, {"step", 1}, {"id", "s1"}, {"response", "I can not; was QX9-3300."}});
  const ScoredProbe scored = score(episode_of(idle), deletion);
  CHECK(scored.result == ProbeResult::nothing_used);
  CHECK(scored.forbid[0].said);
}

TEST_CASE("only what is done after the evidence was shown counts") {
  const MemoryProbe against = probe(MemoryProbeKind::over_alignment, {}, {"QX9-3300"}, {"key QX9-3300 refused"});
  EpisodeText text("Open the gate.");
  text.notes({{"N-1", "Key QX9-3300."}})
      .step("", "gate --key QX9-3300", "key  QX9-3300 refused")
      .step("", "gate --ask");
  const ScoredProbe once = score(episode_of(text), against);
  CHECK(once.result == ProbeResult::followed);
  REQUIRE(once.evidence);
  CHECK(once.evidence->from == 2);
  text.step("", "gate --key QX9-3300");
  const ScoredProbe again = score(episode_of(text), against);
  CHECK(again.result == ProbeResult::stale_used);
  CHECK(again.forbid[0].first_used->step == 3);
  CHECK(score_commands(against, {"gate --key QX9-3300"}).result == ProbeResult::not_observable);
}

TEST_CASE("a result that hangs on a common value is not observable") {
  const MemoryProbe common = probe(MemoryProbeKind::deletion, {}, {"12"});
  EpisodeText text("Open the gate.");
  text.notes({{"N-1", "The drain limit is 12."}}).step("", "sleep 12");
  CHECK(score(episode_of(text), common).result == ProbeResult::not_observable);
  EpisodeText keyed("Open the gate.");
  keyed.notes({{"N-1", "The drain limit is 12."}}).step("", "set drain_limit=12");
  CHECK(score(episode_of(keyed), common).result == ProbeResult::stale_used);
}

TEST_CASE("a probe speaks of its task where it says so") {
  const Episode episode = episode_of(EpisodeText("Go."));
  MemoryProbe asked = probe(MemoryProbeKind::update, {"x"}, {});
  CHECK(asked.speaks_of(episode));
  asked.run = "r";
  asked.configuration = "c";
  CHECK(asked.speaks_of(episode));
  asked.run = "r2";
  CHECK_FALSE(asked.speaks_of(episode));
  for (std::size_t k = 0; k < kMemoryProbeKinds; ++k) {
    const auto kind = static_cast<MemoryProbeKind>(k);
    CHECK(parse_memory_probe_kind(name(kind)) == kind);
  }
  CHECK_FALSE(parse_memory_probe_kind("updates"));
}

TEST_CASE("evidence that no step saw was not shown") {
  const MemoryProbe against = probe(MemoryProbeKind::over_alignment, {}, {"QX9-3300"}, {"key QX9-3300 refused"});
  EpisodeText text("Open the gate.");
  text.notes({{"N-1", "Key QX9-3300."}}).step("", "gate --key QX9-3300", "key QX9-3300 refused");
  CHECK(score(episode_of(text), against).result == ProbeResult::not_observable);
}

TEST_CASE("a forbidden value that was used before memory showed it does not count as held and then used") {
  const MemoryProbe deletion = probe(MemoryProbeKind::deletion, {}, {"QX9-3300"});
  const auto counts = [&](const std::string& last) {
    EpisodeText text("Open the gate.");
    text.step("", "gate --key QX9-3300").notes({{"N-1", "Key QX9-3300."}}).step("", last);
    const Episode episode = episode_of(text);
    ProbeCounts made;
    made.add(episode, score(episode, deletion));
    return made;
  };
  CHECK(counts("gate --ask").forbidden_held == 1);
  CHECK(counts("gate --ask").forbidden_held_used == 0);
  CHECK(counts("gate --key QX9-3300").forbidden_held_used == 1);
}
