#include <catch2/catch.hpp>
#include <random>

#include "graph/origins.h"
#include "model/text.h"
#include "recorded_run.h"

using namespace memuse;
using namespace memuse::graph;
using test::change;
using test::exposure;
using test::node;

namespace {

constexpr auto kCreate = MemoryOp::create;
constexpr auto kUpdate = MemoryOp::update;

graph::Origin origin_of(const std::vector<EpisodeNode>& episodes, const std::vector<Change>& changes,
                        const Exposure& exposure) {
  return CreatorIndex(episodes, changes).creator_of(exposure);
}

}  // namespace

TEST_CASE("the creator is the operation that made the delivered version") {
  const std::vector<EpisodeNode> episodes{node("a", 1), node("b", 2), node("c", 3)};
  const std::vector<Change> changes{change(0, 5, kCreate, "I", "I.1"), change(1, 5, kUpdate, "I", "I.2", {"I.1"}),
                                    change(1, 6, MemoryOp::noop, "I", "I.2")};
  const graph::Origin first = origin_of(episodes, changes, exposure(2, 1, "I", "I.1"));
  CHECK(first.kind == OriginKind::earlier_episode);
  CHECK(first.change == 0u);
  CHECK(first.by_version);
  const graph::Origin second = origin_of(episodes, changes, exposure(2, 1, "I", "I.2"));
  CHECK(second.change == 1u);
  CHECK(second.identity == Identity::declared);
}

TEST_CASE("a version that no operation made has no creator however well the item is known") {
  const std::vector<EpisodeNode> episodes{node("a", 1), node("b", 2)};
  const std::vector<Change> changes{change(0, 5, kCreate, "I", "I.1")};
  CHECK(origin_of(episodes, changes, exposure(1, 1, "I", "I.9")).kind == OriginKind::other_version);
  CHECK_FALSE(origin_of(episodes, changes, exposure(1, 1, "I", "I.9")).change);
  CHECK(origin_of(episodes, changes, exposure(1, 1, "J", "J.1")).kind == OriginKind::not_recorded);
  // A no-op and a deletion make nothing.
  const std::vector<Change> kept{change(0, 5, MemoryOp::noop, "I", "I.1"),
                                 change(0, 6, MemoryOp::delete_item, "I", "I.1")};
  CHECK(origin_of(episodes, kept, exposure(1, 1, "I", "I.1")).kind == OriginKind::not_recorded);
}

TEST_CASE("an origin in the same episode is told from an earlier one and from one recorded later") {
  const std::vector<EpisodeNode> episodes{node("a", 1), node("b", 2)};
  const std::vector<Change> changes{change(0, 5, kCreate, "I", "I.1")};
  CHECK(origin_of(episodes, changes, exposure(0, 6, "I", "I.1")).kind == OriginKind::same_episode);
  CHECK(origin_of(episodes, changes, exposure(0, 4, "I", "I.1")).kind == OriginKind::recorded_later);
  const std::vector<Change> late{change(1, 1, kCreate, "I", "I.1")};
  const graph::Origin origin = origin_of(episodes, late, exposure(0, 9, "I", "I.1"));
  CHECK(origin.kind == OriginKind::recorded_later);
  CHECK(origin.change == 0u);
}

TEST_CASE("without versions the last change of the item before the delivery made it") {
  const std::vector<EpisodeNode> episodes{node("a", 1), node("b", 2), node("c", 3)};
  const std::vector<Change> changes{change(0, 5, kCreate, "I", std::nullopt), change(1, 3, kUpdate, "I", std::nullopt),
                                    change(1, 8, kUpdate, "I", std::nullopt), change(2, 7, kUpdate, "I", std::nullopt)};
  CHECK(origin_of(episodes, changes, exposure(1, 2, "I", std::nullopt)).change == 0u);
  CHECK(origin_of(episodes, changes, exposure(1, 5, "I", std::nullopt)).change == 1u);
  CHECK(origin_of(episodes, changes, exposure(2, 5, "I", std::nullopt)).change == 2u);
  const graph::Origin origin = origin_of(episodes, changes, exposure(2, 8, "I", "v9"));
  CHECK(origin.change == 3u);
  CHECK_FALSE(origin.by_version);
}

TEST_CASE("episodes without positions are ordered by time or not at all") {
  std::vector<EpisodeNode> episodes{node("a", std::nullopt), node("b", std::nullopt)};
  const std::vector<Change> changes{change(0, 5, kCreate, "I", "I.1")};
  CHECK(origin_of(episodes, changes, exposure(1, 1, "I", "I.1")).kind == OriginKind::order_unknown);
  episodes[0].first_time_us = 100;
  CHECK(origin_of(episodes, changes, exposure(1, 1, "I", "I.1")).kind == OriginKind::order_unknown);
  episodes[1].first_time_us = 200;
  CHECK(origin_of(episodes, changes, exposure(1, 1, "I", "I.1")).kind == OriginKind::earlier_episode);
  episodes[1].first_time_us = 50;
  CHECK(origin_of(episodes, changes, exposure(1, 1, "I", "I.1")).kind == OriginKind::recorded_later);
  // Positions speak louder than clocks.
  episodes[0].position = 1;
  episodes[1].position = 2;
  CHECK(origin_of(episodes, changes, exposure(1, 1, "I", "I.1")).kind == OriginKind::earlier_episode);
}

TEST_CASE("an entry without an item id is joined by its normalised text, inside one store") {
  std::vector<EpisodeNode> episodes{node("a", 1), node("b", 2), node("c", 3)};
  const std::vector<Change> changes{change(0, 5, kCreate, "I", "I.1", {}, "Use  port\n7719."),
                                    change(1, 5, kCreate, "J", "J.1", {}, "Use port 7719.")};
  const graph::Origin origin =
      origin_of(episodes, changes, exposure(2, 1, std::nullopt, std::nullopt, " Use port 7719. "));
  CHECK(origin.kind == OriginKind::earlier_episode);
  CHECK(origin.change == 0u);
  CHECK(origin.identity == Identity::text);
  CHECK(origin_of(episodes, changes, exposure(2, 1, std::nullopt, std::nullopt, "use port 7719.")).kind ==
        OriginKind::not_recorded);
  // Where an id is declared, equal text is not enough.
  CHECK(origin_of(episodes, changes, exposure(2, 1, "K", std::nullopt, "Use port 7719.")).kind ==
        OriginKind::not_recorded);
  episodes[2].store = "other";
  CHECK(origin_of(episodes, changes, exposure(2, 1, std::nullopt, std::nullopt, "Use port 7719.")).kind ==
        OriginKind::not_recorded);
  CHECK(origin_of(episodes, changes, exposure(2, 1, "I", "I.1")).kind == OriginKind::not_recorded);
}

TEST_CASE("origins of a run are counted as worked out by hand") {
  RunOriginFacts facts;
  facts.episodes = {node("a", 1, false), node("b", 3, true), node("c", 4, std::nullopt, "meadow/clock"),
                    node("d", 9, true, "meadow/clock")};
  facts.changes = {change(0, 5, kCreate, "A", "A.1"), change(1, 5, kCreate, "B", "B.1"),
                   change(2, 5, kCreate, "C", "C.1"), change(3, 2, kCreate, "D", "D.1")};
  facts.exposures = {exposure(1, 1, "A", "A.1"),   // 2 tasks, failed, same repository
                     exposure(3, 3, "A", "A.1"),   // 8 tasks, failed, another repository
                     exposure(3, 4, "B", "B.1"),   // 6 tasks, resolved, another repository
                     exposure(3, 5, "C", "C.1"),   // 5 tasks, outcome unknown
                     exposure(3, 6, "D", "D.1"),   // this episode
                     exposure(3, 1, "D", "D.1"),   // recorded only later
                     exposure(3, 7, "A", "A.2"),   // only other versions
                     exposure(3, 8, "Z", "Z.1")};  // not recorded
  const RunOrigins origins = run_origins(std::move(facts));
  const OriginCounts& counts = origins.counts;
  CHECK(counts.beneficial == 8);
  CHECK(counts.traced == 4);
  CHECK(counts.same_episode == 1);
  CHECK(counts.recorded_later == 1);
  CHECK(counts.other_version == 1);
  CHECK(counts.not_recorded == 1);
  CHECK(counts.order_unknown == 0);
  CHECK(counts.outcome_known == 3);
  CHECK(counts.from_failed == 2);
  CHECK(counts.repositories_known == 4);
  CHECK(counts.from_another_repository == 2);
  CHECK(counts.gaps == std::vector<std::int64_t>{2, 5, 6, 8});
  CHECK(counts.median_gap() == Approx(5.5));
  OriginCounts twice = counts;
  twice += counts;
  CHECK(twice.beneficial == 16);
  CHECK(twice.gaps == std::vector<std::int64_t>{2, 2, 5, 5, 6, 6, 8, 8});
  CHECK_FALSE(OriginCounts{}.median_gap());
}

// --- against a slow, obvious reference
// -----------------------------------------------------------------------------------

namespace {

/// -1 before, 0 same, 1 after, 2 unknown.
int when(const EpisodeNode& a, const EpisodeNode& b) {
  if (a.uid == b.uid) return 0;
  if (a.position && b.position && a.position != b.position) return *a.position < *b.position ? -1 : 1;
  if (a.first_time_us && b.first_time_us && a.first_time_us != b.first_time_us)
    return *a.first_time_us < *b.first_time_us ? -1 : 1;
  return 2;
}

OriginKind reference_kind(const RunOriginFacts& facts, const Exposure& shown) {
  const EpisodeNode& here = facts.episodes[shown.episode];
  bool item_known = false;
  std::vector<const Change*> by_version;
  std::vector<const Change*> by_item;
  for (const Change& change : facts.changes) {
    if (facts.episodes[change.episode].store != here.store) continue;
    if (change.op != MemoryOp::create && change.op != MemoryOp::update) continue;
    if (!shown.item) {
      if (change.text && normalise_text(*change.text) == normalise_text(shown.text)) by_version.push_back(&change);
      continue;
    }
    if (change.item != *shown.item) continue;
    item_known = true;
    if (change.version && shown.version) {
      if (*change.version == *shown.version) by_version.push_back(&change);
    } else {
      by_item.push_back(&change);
    }
  }
  // By version the first candidate counts, by item the last one before the delivery; the kinds in order of trust.
  const bool takes_first = !by_version.empty();
  const auto& candidates = takes_first ? by_version : by_item;
  if (candidates.empty()) return item_known ? OriginKind::other_version : OriginKind::not_recorded;
  bool earlier = false;
  bool same = false;
  bool unknown = false;
  for (const Change* change : candidates) {
    const int order = when(facts.episodes[change->episode], here);
    earlier = earlier || order == -1;
    same = same || (order == 0 && change->line_order < shown.line_order);
    unknown = unknown || order == 2;
  }
  if (takes_first && earlier) return OriginKind::earlier_episode;
  if (same) return OriginKind::same_episode;
  if (earlier) return OriginKind::earlier_episode;
  return unknown ? OriginKind::order_unknown : OriginKind::recorded_later;
}

RunOriginFacts random_facts(std::mt19937& random) {
  const auto pick = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  RunOriginFacts facts;
  const std::uint32_t episodes = 1 + pick(5);
  // Either all episodes have positions or some lack them and fall back on time.
  const bool placed = pick(3) != 0;
  for (std::uint32_t i = 0; i < episodes; ++i) {
    EpisodeNode episode = node(std::to_string(i), placed ? std::optional<std::uint64_t>(i + 1) : std::nullopt);
    if (!placed && pick(4) != 0) episode.first_time_us = i * 10;
    episode.store = pick(4) == 0 ? "other" : "default";
    facts.episodes.push_back(episode);
  }
  const std::vector<std::string> names{"I", "J", "K"};
  const auto version = [&]() -> std::optional<std::string> {
    return pick(4) == 0 ? std::nullopt : std::optional(std::to_string(pick(3)));
  };
  for (std::uint32_t i = 0; i < episodes; ++i) {
    for (std::uint32_t line = 1; line < 8; line += 1 + pick(3)) {
      facts.changes.push_back(change(i, line * 2, static_cast<MemoryOp>(pick(4)), names[pick(3)], version(), {},
                                     pick(3) == 0 ? std::nullopt : std::optional("text " + std::to_string(pick(3)))));
    }
    for (std::uint32_t line = 1; line < 8; line += 1 + pick(3)) {
      facts.exposures.push_back(exposure(i, line * 2 + 1, pick(3) == 0 ? std::nullopt : std::optional(names[pick(3)]),
                                         version(), "text  " + std::to_string(pick(3))));
    }
  }
  return facts;
}

}  // namespace

TEST_CASE("random studies have the origins that a slow reference finds") {
  std::mt19937 random(20270314);
  std::size_t traced = 0;
  for (int round = 0; round < 3000; ++round) {
    const RunOriginFacts facts = random_facts(random);
    const RunOrigins origins = run_origins(facts);
    REQUIRE(origins.rows.size() == facts.exposures.size());
    OriginCounts expected;
    for (std::size_t i = 0; i < facts.exposures.size(); ++i) {
      const OriginKind kind = reference_kind(facts, facts.exposures[i]);
      REQUIRE(name(origins.rows[i].origin.kind) == name(kind));
      ++expected.beneficial;
      if (kind == OriginKind::earlier_episode) ++expected.traced;
      if (kind == OriginKind::same_episode) ++expected.same_episode;
    }
    CHECK(origins.counts.beneficial == expected.beneficial);
    CHECK(origins.counts.traced == expected.traced);
    CHECK(origins.counts.same_episode == expected.same_episode);
    traced += expected.traced;
  }
  CHECK(traced > 1000);
}
