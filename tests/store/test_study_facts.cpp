#include "store/study_facts.h"

#include <catch2/catch.hpp>

#include "store/reader.h"
#include "store/writer.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using store::Database;

TEST_CASE("delivery rules are kept once, under their hash, and episodes point at them") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string first = store::put_delivery_rules(database, "{\"rules\":[]}");
  CHECK(first.size() == 64);
  CHECK(store::put_delivery_rules(database, "{\"rules\":[]}") == first);
  const std::string second = store::put_delivery_rules(database, "{\"rules\":[1]}");
  CHECK(store::delivery_rules(database) ==
        std::map<std::string, std::string>{{first, "{\"rules\":[]}"}, {second, "{\"rules\":[1]}"}});

  store::PreparedEpisode episode = make_prepared({});
  episode.record.delivery_rules = second;
  EpisodeSketch other;
  other.id = "e2";
  store::Writer writer(database);
  writer.add(episode);
  writer.add(make_prepared(other));
  writer.finish();
  const auto records = store::find_episodes(database, {});
  REQUIRE(records.size() == 2);
  CHECK(records[0].delivery_rules == second);
  CHECK(records[1].delivery_rules.empty());
}

TEST_CASE("the baseline is what was said last") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  CHECK(store::baselines(database).empty());
  store::set_baselines(database, {{"plain", true}, {"with", false}});
  CHECK(store::baselines(database) == std::set<std::string>{"plain"});
  store::set_baselines(database, {{"other", false}});
  CHECK(store::baselines(database) == std::set<std::string>{"plain"});
  store::set_baselines(database, {{"with", true}});
  CHECK(store::baselines(database) == std::set<std::string>{"with"});
  store::set_baselines(database, {{"with", false}});
  CHECK(store::baselines(database).empty());
}

TEST_CASE("totals of the whole episode count where the calls are silent") {
  Episode episode = make_episode({});
  AgentTotals totals;
  totals.usage.input = 900;
  totals.usage.output = 90;
  totals.cost_usd = 0.5;
  totals.seconds = 12.5;
  episode.totals = totals;
  SECTION("no call states anything") {
    for (Step& step : episode.steps) {
      step.usage = {};
      step.cost_usd.reset();
    }
    const CallTotals agent = store::prepare(episode, make_spans()).record.agent;
    CHECK(agent.input_tokens == 900);
    CHECK(agent.output_tokens == 90);
    CHECK(agent.calls_without_tokens == 0);
    CHECK(agent.cost_usd == 0.5);
    CHECK(agent.calls_without_cost == 0);
    CHECK(store::prepare(episode, make_spans()).record.agent_seconds == 12.5);
  }
  SECTION("every call states its own") {
    for (Step& step : episode.steps) {
      step.usage = {10, {}, 1};
      step.cost_usd = 0.125;
    }
    const CallTotals agent = store::prepare(episode, make_spans()).record.agent;
    CHECK(agent.input_tokens == 20);
    CHECK(agent.cost_usd == 0.25);
  }
  SECTION("neither does") {
    for (Step& step : episode.steps) step.usage = {};
    episode.totals->usage = {};
    CHECK(store::prepare(episode, make_spans()).record.agent.calls_without_tokens == 2);
  }
}
