#include <catch2/catch.hpp>

#include "graph/item_lineage.h"
#include "recorded_run.h"

using namespace memuse;
using namespace memuse::graph;
using test::change;
using test::exposure;
using test::node;

namespace {

constexpr auto kCreate = MemoryOp::create;
constexpr auto kUpdate = MemoryOp::update;

ItemFacts facts_of(const std::string& item) {
  ItemFacts facts;
  facts.configuration = "notes";
  facts.run = "r1";
  facts.store = "default";
  facts.item = item;
  facts.episodes = {node("a", 1, false), node("b", 2, true), node("c", 3)};
  return facts;
}

}  // namespace

TEST_CASE("the versions of an item stand in order with their makers and what replaced them") {
  ItemFacts facts = facts_of("I");
  facts.changes = {change(0, 5, kCreate, "I", "I.1", {}, "Old."), change(1, 4, kUpdate, "I", "I.2", {"I.1"}, "New."),
                   change(1, 6, MemoryOp::noop, "I", "I.2")};
  facts.exposures = {exposure(1, 1, "I", "I.1", "Old."), exposure(2, 1, "I", "I.2", "New.")};
  const ItemLineage lineage = item_lineage(std::move(facts));
  REQUIRE(lineage.versions.size() == 2);
  CHECK(lineage.versions[0].version == "I.1");
  CHECK(lineage.versions[0].maker == 0u);
  CHECK(lineage.versions[0].parents.empty());
  CHECK(lineage.versions[0].replaced_by == 1u);
  CHECK(lineage.versions[1].version == "I.2");
  CHECK(lineage.versions[1].maker == 1u);
  REQUIRE(lineage.versions[1].parents.size() == 1);
  CHECK(lineage.versions[1].parents[0].index == 0u);
  CHECK_FALSE(lineage.versions[1].is_merge(lineage.versions));
  CHECK_FALSE(lineage.versions[1].replaced_by);
  CHECK(lineage.changes.size() == 3);
  REQUIRE(lineage.showings.size() == 2);
  CHECK(lineage.showings[0].version == 0);
  CHECK(lineage.showings[1].version == 1);
  CHECK(lineage.showings[1].origin.kind == OriginKind::earlier_episode);
  CHECK(lineage.episode_of(lineage.changes[*lineage.showings[1].origin.change]).episode == "b");
}

TEST_CASE("what nothing recorded made has no maker, and parents that nothing shows stay names") {
  ItemFacts facts = facts_of("I");
  facts.changes = {change(1, 4, kUpdate, "I", "I.3", {"I.2", "X.7"})};
  facts.exposures = {exposure(0, 1, "I", "I.1"), exposure(2, 1, "I", "I.3")};
  facts.returns = {{0, "q1", 0, 0, 1, 0, "I.0", 0.5}};
  const ItemLineage lineage = item_lineage(std::move(facts));
  REQUIRE(lineage.versions.size() == 3);
  CHECK(lineage.versions[0].version == "I.0");  // only a search names it
  CHECK_FALSE(lineage.versions[0].maker);
  CHECK_FALSE(lineage.versions[0].text);
  CHECK(lineage.versions[1].version == "I.1");
  CHECK_FALSE(lineage.versions[1].maker);
  CHECK(lineage.versions[1].text == "A note.");
  const ItemVersion& merged = lineage.versions[2];
  CHECK(merged.is_merge(lineage.versions));
  REQUIRE(merged.parents.size() == 2);
  CHECK_FALSE(merged.parents[0].index);
  CHECK(merged.parents[1].version == "X.7");
  CHECK_FALSE(merged.parents[1].index);
  CHECK(lineage.showings[0].origin.kind == OriginKind::other_version);
}

TEST_CASE("a merge brings the other item in, with its own ancestors, and shows as a descendant there") {
  const std::vector<Change> changes{change(0, 2, kCreate, "K", "K.1", {}, "Half."),
                                    change(0, 5, kUpdate, "J", "J.1", {"K.1"}), change(0, 7, kCreate, "I", "I.1"),
                                    change(1, 4, kUpdate, "I", "I.2", {"I.1", "J.1"}),
                                    change(1, 6, kCreate, "L", "L.1")};
  ItemFacts facts = facts_of("I");
  facts.changes = changes;
  const ItemLineage lineage = item_lineage(std::move(facts));
  REQUIRE(lineage.versions.size() == 4);
  CHECK(lineage.versions[2].item == "J");
  CHECK(lineage.versions[2].kin == Kin::ancestor);
  CHECK(lineage.versions[3].item == "K");
  CHECK(lineage.versions[3].text == "Half.");
  CHECK(lineage.versions[2].parents[0].index == 3u);
  CHECK(lineage.versions[2].is_merge(lineage.versions));  // of another item
  CHECK(lineage.versions[1].is_merge(lineage.versions));
  CHECK(lineage.changes.size() == 4);  // nothing of L

  ItemFacts of_parent = facts_of("K");
  of_parent.changes = changes;
  const ItemLineage fate = item_lineage(std::move(of_parent));
  REQUIRE(fate.versions.size() == 3);
  CHECK(fate.versions[1].item == "J");
  CHECK(fate.versions[1].kin == Kin::descendant);
  CHECK(fate.versions[1].parents[0].index == 0u);
  CHECK(fate.versions[2].item == "I");
  CHECK(fate.versions[2].version == "I.2");
}

TEST_CASE("items that number their versions alike are kept apart") {
  ItemFacts facts = facts_of("I");
  facts.changes = {change(0, 5, kCreate, "I", "1"), change(0, 6, kCreate, "J", "1"),
                   change(1, 4, kUpdate, "I", "2", {"1"}), change(1, 5, kUpdate, "J", "2", {"1"})};
  const ItemLineage lineage = item_lineage(std::move(facts));
  REQUIRE(lineage.versions.size() == 2);
  CHECK(lineage.versions[1].parents[0].index == 0u);
  CHECK_FALSE(lineage.versions[1].is_merge(lineage.versions));
}

TEST_CASE("entries without an id join the item by text, unless the text was another item's first") {
  ItemFacts facts = facts_of("I");
  facts.changes = {change(0, 5, kCreate, "I", "I.1", {}, "Use port 7719."),
                   change(0, 6, kCreate, "I", "I.2", {}, "Two spoons.")};
  facts.exposures = {exposure(1, 1, std::nullopt, std::nullopt, "Use  port 7719.")};
  const ItemLineage lineage = item_lineage(facts);
  REQUIRE(lineage.showings.size() == 1);
  CHECK(lineage.showings[0].origin.identity == Identity::text);
  CHECK(lineage.showings[0].version == 0);

  facts.changes.insert(facts.changes.begin(), change(0, 1, kCreate, "H", "H.1", {}, "Use port 7719."));
  CHECK(item_lineage(facts).showings.empty());
}

TEST_CASE("versions without ids are told apart by the operations that made them") {
  ItemFacts facts = facts_of("I");
  facts.changes = {change(0, 5, kCreate, "I", std::nullopt, {}, "Old."),
                   change(1, 5, kUpdate, "I", std::nullopt, {}, "New.")};
  facts.exposures = {exposure(1, 1, "I", std::nullopt, "Old."), exposure(2, 1, "I", std::nullopt, "New.")};
  const ItemLineage lineage = item_lineage(std::move(facts));
  REQUIRE(lineage.versions.size() == 2);
  CHECK(lineage.showings[0].version == 0);
  CHECK(lineage.showings[1].version == 1);
  CHECK(lineage.versions[1].text == "New.");
  CHECK_FALSE(lineage.showings[1].origin.by_version);
}

TEST_CASE("an item that was only ever delivered has one version of unknown making") {
  ItemFacts facts = facts_of("persona");
  facts.exposures = {exposure(0, 1, "persona", std::nullopt), exposure(2, 1, "persona", std::nullopt)};
  const ItemLineage lineage = item_lineage(std::move(facts));
  REQUIRE(lineage.versions.size() == 1);
  CHECK_FALSE(lineage.versions[0].maker);
  CHECK(lineage.showings[1].origin.kind == OriginKind::not_recorded);
  CHECK(lineage.episodes.size() == 2);  // nothing happened to it in the other
}
