#include <catch2/catch.hpp>

#include "graph/item_lineage.h"
#include "graph/origins.h"
#include "store/episode_lineage.h"
#include "store/item_facts.h"
#include "store/judgements.h"
#include "store/origin_facts.h"
#include "store/writer.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using store::Database;
using store::Writer;

namespace {

EpisodeSketch placed(const std::string& id, std::uint64_t position, const std::string& content) {
  EpisodeSketch sketch;
  sketch.id = id;
  sketch.task = "t" + id;
  sketch.position = position;
  sketch.content = content;
  sketch.byte = position * 100;
  sketch.resolved = position == 1;
  return sketch;
}

void write_lineage_study(const TemporaryFolder& folder, const std::vector<EpisodeSketch>& episodes) {
  Database database = Database::open(folder.database());
  Writer writer(database);
  for (const EpisodeSketch& sketch : episodes) writer.add(make_prepared(sketch));
  writer.finish();
}

/// "e1:update 2" for changes, "e1:S1/0x2" for exposures.
std::string facts_text(const graph::ItemFacts& facts) {
  std::string out;
  for (const graph::Change& change : facts.changes) {
    out += facts.episodes[change.episode].episode + ":" + std::string(name(change.op)) + " " +
           change.version.value_or("-") + " ";
  }
  for (const graph::Exposure& exposure : facts.exposures) {
    out += facts.episodes[exposure.episode].episode + ":S" + std::to_string(exposure.span) + "/" +
           std::to_string(exposure.entry) + "x" + std::to_string(exposure.placements.size()) + " ";
  }
  return out;
}

}  // namespace

TEST_CASE("what is recorded about an item, in the order of the study") {
  const TemporaryFolder folder;
  write_lineage_study(folder, {placed("e2", 2, "pan"), placed("e1", 1, "kettle")});
  const Database database = Database::open_existing(folder.database());
  const auto facts = [&database](const store::ItemFilter& filter) {
    std::string out;
    for (const graph::ItemFacts& part : store::item_facts(database, filter, std::nullopt)) out += facts_text(part);
    return out;
  };
  CHECK(facts({"I1", {}, {}, {}}) == "e1:update 2 e2:update 2 e1:S1/0x2 e1:S2/0x1 e2:S1/0x2 e2:S2/0x1 ");
  CHECK(facts({"I2", {}, {}, {}}) == "e1:S1/1x2 e2:S1/1x2 ");
  // I1 is looked at, since its update names a version 1 as I3 has one.
  CHECK(facts({"I3", "cards", "r1", "default"}) == "e1:create 1 e1:update 2 e2:create 1 e2:update 2 ");
  CHECK(facts({"I3", "cards", "r2", {}}).empty());
  CHECK(facts({"nothing", {}, {}, {}}).empty());

  // But I1's own version 1 was delivered, so nothing was made from I3.
  const auto other = graph::item_lineage(store::item_facts(database, {"I3", {}, {}, {}}, std::nullopt).at(0));
  CHECK(other.versions.size() == 1);
  CHECK(other.changes.size() == 2);

  const graph::ItemLineage lineage =
      graph::item_lineage(store::item_facts(database, {"I1", {}, {}, {}}, std::nullopt).at(0));
  REQUIRE(lineage.versions.size() == 2);
  CHECK(lineage.versions[0].version == "1");  // delivered, but nothing recorded made it
  CHECK_FALSE(lineage.versions[0].maker);
  CHECK(lineage.versions[1].parents.at(0).index == 0u);
  CHECK(lineage.episodes.at(0).resolved == true);
  CHECK(lineage.showings.at(0).exposure.delivery == "d1");
  CHECK(lineage.showings.at(0).exposure.placements.at(1).step == 2);
  CHECK(lineage.showings.at(0).origin.kind == graph::OriginKind::other_version);
}

TEST_CASE("an item that only a search returned is found") {
  const TemporaryFolder folder;
  {
    Database database = Database::open(folder.database());
    Writer writer(database);
    writer.add(make_full_episode(), make_full_spans());
    writer.finish();
  }
  const Database database = Database::open_existing(folder.database());
  const auto facts = store::item_facts(database, {"I1", {}, {}, {}}, std::nullopt);
  REQUIRE(facts.size() == 1);
  REQUIRE(facts[0].returns.size() == 1);
  CHECK(facts[0].returns[0].search == "q1");
  CHECK(facts[0].returns[0].version == "v1");
  CHECK(facts[0].returns[0].score == 0.5);
  CHECK(store::item_facts(database, {"I", {}, {}, {}}, std::nullopt).empty());
}

TEST_CASE("the beneficial entries of a run with what may have made them") {
  const TemporaryFolder folder;
  write_lineage_study(folder, {placed("e1", 1, "kettle"), placed("e2", 2, "pan")});
  Database database = Database::open(folder.database());
  const auto runs = [&](std::optional<std::int64_t> set) {
    std::vector<graph::RunOriginFacts> all;
    store::for_each_run_of_origins(database, set, [&](graph::RunOriginFacts run) { all.push_back(std::move(run)); });
    return all;
  };
  auto unjudged = runs(std::nullopt);
  REQUIRE(unjudged.size() == 1);
  CHECK_FALSE(unjudged[0].judged);
  CHECK(unjudged[0].records_creation);
  CHECK(unjudged[0].exposures.empty());

  store::JudgementWriter judgements(database, store::Durability::batched);
  const std::int64_t set = judgements.open_judgement_set("j", "memuse-rules/1", "{}", true, false);
  EntryAnswer used;
  used.entry = 0;
  used.labels = {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
  used.anchors = {2};
  judgements.put_answer(set, make_prepared(placed("e2", 2, "pan")).record.uid, 1, {{used}}, Verdict::beneficial, {});
  judgements.flush();
  const auto judged = runs(set);
  REQUIRE(judged.size() == 1);
  CHECK(judged[0].judged);
  REQUIRE(judged[0].exposures.size() == 1);
  CHECK(judged[0].exposures[0].item == "I1");
  CHECK(judged[0].episodes.at(judged[0].exposures[0].episode).episode == "e2");
  CHECK_FALSE(judged[0].changes.empty());
  CHECK(graph::run_origins(judged[0]).counts.beneficial == 1);
}

TEST_CASE("every episode of a study with its part of the lineage") {
  const TemporaryFolder folder;
  write_lineage_study(folder, {placed("e2", 2, "pan"), placed("e1", 1, "kettle")});
  const Database database = Database::open_existing(folder.database());
  std::string order;
  store::LineageVisitor visitor;
  visitor.begin_run = [&](const std::vector<std::string>& uids) { order += "run of " + std::to_string(uids.size()); };
  visitor.change = [&](const graph::EpisodeNode& episode, const graph::Change& change) {
    order += " " + episode.episode + ":" + change.item;
  };
  visitor.episode = [&](const graph::EpisodeFacts& facts) {
    order += " | " + facts.episode.episode + " " + std::to_string(facts.changes.size()) + " " +
             std::to_string(facts.searches.size()) + " " + std::to_string(facts.spans.size());
    CHECK(facts.span_line_orders.size() == facts.spans.size());
  };
  store::for_each_episode_lineage(database, std::nullopt, std::nullopt, visitor);
  CHECK(order == "run of 2 e1:I3 e1:I1 e2:I3 e2:I1 | e1 2 1 3 | e2 2 1 3");
  order.clear();
  store::for_each_episode_lineage(database, std::nullopt, std::set<std::string>{}, visitor);
  CHECK(order == "run of 2 e1:I3 e1:I1 e2:I3 e2:I1");
}
