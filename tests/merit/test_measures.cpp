// Task-level measures from rows written by hand, with the numbers worked out on paper.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "merit/analysis.h"
#include "model/error.h"

namespace {

using namespace memuse::merit;
using Catch::Matchers::Contains;

/// Rows of a made-up study; every row has its own id and line.
class Study {
 public:
  ScoredEpisode& add(const std::string& condition, const std::string& arc, bool dependent, bool success) {
    ScoredEpisode row;
    row.id = keep("e" + std::to_string(++count_));
    row.task = keep(arc + (dependent ? "-probe" : "-plant"));
    row.model = "example-agent";
    row.domain = "d8";
    row.tier = "easy";
    row.seed = "0";
    row.directory = "d8-easy";
    row.condition = keep(condition);
    row.arc = keep(arc);
    row.path = "d8-easy/results.jsonl";
    row.line = count_;
    row.dependent = dependent;
    row.outcome = success;
    row.pre_satisfied = false;
    row.tokens = 100;
    row.memory_tokens = 0;
    row.agent_cost_usd = 0.001;
    row.memory_cost_usd = 0.0;
    episodes_.rows.push_back(row);
    return episodes_.rows.back();
  }

  std::string_view keep(const std::string& name) { return episodes_.names.keep(name); }

  Analysis analyse(AnalysisOptions options = {}) {
    options.resampling.resamples = 200;
    episodes_.settle();
    return memuse::merit::analyse(episodes_, options);
  }

  ScoredEpisodes& episodes() { return episodes_; }

 private:
  ScoredEpisodes episodes_;
  std::uint64_t count_ = 0;
};

/// Four arcs; C0 solves nothing that depends, C4 three of four, C1 all.
Study four_arcs() {
  Study study;
  for (int i = 0; i < 4; ++i) {
    const std::string arc = "arc0-00" + std::to_string(i);
    study.add("C0", arc, true, false);
    study.add("C0", arc, false, true);
    study.add("C1", arc, true, true).agent_cost_usd = 0.005;
    study.add("C1", arc, false, true).agent_cost_usd = 0.005;
    study.add("C4", arc, true, i != 0).agent_cost_usd = 0.002;
    study.add("C4", arc, false, true).memory_cost_usd = 0.001;
  }
  return study;
}

Economy economy_of(double success, double cost, bool as_published = false) {
  ConditionMeasures condition;
  ConditionMeasures baseline;
  const auto set = [](ConditionMeasures& measures, std::uint64_t successes, double dollars) {
    measures.n = 10;
    measures.dependent = {successes, 10};
    measures.cost_usd = {dollars, 10};
  };
  set(condition, static_cast<std::uint64_t>(success), cost);
  set(baseline, 5, 1.0);
  return *economy(condition, baseline, as_published);
}

}  // namespace

TEST_CASE("success, cost and what it buys of four arcs") {
  Study study = four_arcs();
  const Analysis analysis = study.analyse();
  REQUIRE(analysis.cells.size() == 1);
  const Group& cell = analysis.cells.front();
  CHECK(cell.name() == "d8-easy");
  CHECK(cell.rows == 24);
  CHECK(cell.arcs_clean == 4);
  const ConditionMeasures& facts = *cell.find("C4");
  CHECK(facts.dependent.value() == 0.75);
  CHECK(facts.independent.value() == 1.0);
  CHECK(*facts.cost_usd.value() == Approx(0.002));
  REQUIRE(facts.economy);
  CHECK(facts.economy->delta_cost_usd == Approx(0.001));
  CHECK(*facts.economy->camu == Approx(750.0));
  CHECK(*facts.economy->break_even_usd == Approx(0.001 / 0.75));
  REQUIRE(facts.h1->difference);
  CHECK(facts.h1->difference->value == 0.75);
  CHECK(facts.h1->difference->arcs == 4);
  CHECK(facts.h2->difference->value == 0.0);
  CHECK(facts.replay->ratio == 0.75);
  CHECK(facts.replay->dependent.difference->value == -0.25);
  // C1 solves more, C4 costs less for what it gains (250 against 750 per dollar).
  REQUIRE(cell.rankings);
  CHECK(cell.rankings->by_success == std::vector<std::string>{"C1", "C4"});
  CHECK(cell.rankings->by_camu == std::vector<std::string>{"C4", "C1"});
  CHECK(cell.rankings->differ());
  CHECK(cell.rankings->reversed);
}

TEST_CASE("an episode that arrives with its goal met is a failure and is counted") {
  Study study;
  study.add("C4", "a", true, true);
  study.add("C4", "b", true, true).pre_satisfied = true;
  study.add("C4", "c", true, true).pre_satisfied = std::nullopt;
  const Analysis analysis = study.analyse();
  const ConditionMeasures& measures = *analysis.cells.front().find("C4");
  CHECK(measures.dependent.successes == 2);
  CHECK(measures.dependent.n == 3);
  CHECK(measures.pre_satisfied == 1);
  CHECK(measures.unchecked == 1);
  CHECK(analysis.pre_satisfied == 1);
  CHECK(analysis.corrected == 1);
  CHECK(analysis.unchecked == 1);
}

TEST_CASE("use counts clean dependent episodes whose memory held the fact") {
  Study study;
  const auto add = [&](bool dependent, std::optional<bool> had, std::optional<bool> used) -> ScoredEpisode& {
    ScoredEpisode& row = study.add("C2", "arc" + std::to_string(study.episodes().rows.size()), dependent, true);
    row.memory_had_fact = had;
    row.memory_utilized = used;
    return row;
  };
  add(true, true, true);
  add(true, true, false);
  add(true, false, true);         // memory did not hold it
  add(false, true, true);         // an independent task
  add(true, std::nullopt, true);  // unknown
  add(true, true, true).setting = {"stale", 0.3};
  add(true, true, std::nullopt).memory_utilized_recomputed = false;  // only the computed flag
  add(true, true, std::nullopt);
  const ConditionMeasures measures = [&] {
    study.episodes().settle();
    std::vector<GroupRow> rows;
    for (const ScoredEpisode& row : study.episodes().rows) rows.push_back({&row, row.arc});
    return measure("C2", rows);
  }();
  CHECK(measures.use.n == 3);
  CHECK(measures.use.successes == 1);
  CHECK(measures.use_recomputed.n == 1);
  CHECK(measures.use_unknown == 1);
  CHECK(*measures.ignore_rate() == Approx(2.0 / 3.0));
}

TEST_CASE("harm is taken over arcs that have clean and damaged episodes") {
  Study study;
  for (const char* arc : {"a", "b", "c"}) study.add("C4", arc, true, true);
  study.add("C4", "a", true, false).setting = {"stale", 0.3};
  study.add("C4", "b", true, true).setting = {"stale", 0.3};
  study.add("C4", "z", true, false).setting = {"stale", 0.3};  // no clean episode
  const Analysis analysis = study.analyse();
  const std::vector<Harm>& harms = analysis.cells.front().find("C4")->harms;
  REQUIRE(harms.size() == 1);
  CHECK(harms[0].comparison.second.mode == "stale");
  CHECK(harms[0].damaged.n == 3);
  CHECK(harms[0].damaged.successes == 1);
  REQUIRE(harms[0].comparison.difference);
  CHECK(harms[0].comparison.difference->arcs == 2);
  CHECK(harms[0].comparison.difference->value == 0.5);
}

TEST_CASE("what a condition that is not dearer is worth is said in words, as published by infinity") {
  CHECK(*economy_of(8, 2.0).camu == Approx(0.3 / 0.1));
  CHECK(economy_of(8, 2.0).verdict == CostVerdict::ratio);
  CHECK(economy_of(8, 0.5).verdict == CostVerdict::dominates);
  CHECK_FALSE(economy_of(8, 0.5).camu);
  CHECK(*economy_of(8, 0.5).break_even_usd < 0.0);
  CHECK(economy_of(5, 0.5).verdict == CostVerdict::dominates);
  CHECK(economy_of(3, 0.5).verdict == CostVerdict::cheaper_worse);
  CHECK_FALSE(economy_of(3, 0.5).break_even_usd);
  CHECK(economy_of(3, 1.0).verdict == CostVerdict::dominated);
  CHECK(economy_of(5, 1.0).verdict == CostVerdict::equal);
  // A dearer condition that gains nothing keeps its number, which is not above 0.
  CHECK(*economy_of(3, 2.0).camu == Approx(-2.0));
  CHECK(std::isinf(*economy_of(3, 0.5, true).camu));
  CHECK(std::isinf(*economy_of(3, 0.5, true).break_even_usd));
}

TEST_CASE("a condition with an episode of unknown cost has no utility per dollar") {
  Study study = four_arcs();
  study.episodes().rows.back().agent_cost_usd = std::nullopt;
  const Analysis analysis = study.analyse();
  const Group& cell = analysis.cells.front();
  CHECK_FALSE(cell.find("C4")->economy);
  CHECK(cell.find("C1")->economy);
  CHECK_FALSE(cell.rankings);
  CHECK(cell.no_economy == NoEconomy::unpriced);
}

TEST_CASE("costs that are all 0 give no utility per dollar") {
  Study study = four_arcs();
  for (ScoredEpisode& row : study.episodes().rows) row.agent_cost_usd = row.memory_cost_usd = 0.0;
  const Analysis analysis = study.analyse();
  CHECK(analysis.cells.front().no_economy == NoEconomy::free);
  CHECK_FALSE(analysis.cells.front().find("C4")->economy);
}

TEST_CASE("seeds are ordered as numbers and their spread is that of their rates") {
  Study study;
  for (const char* seed : {"10", "2"}) {
    for (int i = 0; i < 2; ++i) {
      study.add("C4", std::string("arc") + seed + "-" + std::to_string(i), true, i == 0 || seed[0] == '2').seed =
          study.keep(seed);
    }
  }
  const Analysis analysis = study.analyse();
  const ConditionMeasures& measures = *analysis.cells.front().find("C4");
  REQUIRE(measures.seeds.size() == 2);
  CHECK(measures.seeds[0].seed == "2");
  CHECK(measures.seeds[1].dependent.value() == 0.5);
  CHECK(measures.seed_spread->mean == 0.75);
  CHECK(*measures.seed_spread->deviation == Approx(std::sqrt(0.125)));
  CHECK(measures.seed_gap() == 0.5);
}

TEST_CASE("arcs of two domains stay apart in a pool") {
  Study study;
  for (const char* domain : {"d7", "d8"}) {
    for (const char* condition : {"C2", "C4"}) {
      ScoredEpisode& row = study.add(condition, "arc0-000", true, condition[1] == '4');
      row.domain = domain;
      row.tier = "hard";
    }
  }
  const Analysis analysis = study.analyse();
  REQUIRE(analysis.cells.size() == 2);
  REQUIRE(analysis.pools.size() == 1);
  CHECK(analysis.pools[0].name() == "all domains, hard");
  CHECK(analysis.pools[0].arcs_clean == 2);
  REQUIRE(analysis.hard_tier.size() == 2);
  CHECK_FALSE(analysis.hard_tier[0].comparison.difference);  // no C3
  CHECK(analysis.hard_tier[1].comparison.difference->arcs == 2);
  CHECK(analysis.hard_tier[1].comparison.difference->value == 1.0);
}

TEST_CASE("an episode that two files hold counts once and a second attempt counts again") {
  Study study;
  study.add("C4", "a", true, true);
  ScoredEpisode copy = study.episodes().rows.front();
  copy.path = "elsewhere/results.jsonl";
  study.episodes().rows.push_back(copy);
  copy.id = "another";
  study.episodes().rows.push_back(copy);
  const Analysis analysis = study.analyse();
  CHECK(analysis.met_again == 1);
  CHECK(analysis.attempts == 1);
  CHECK(analysis.episodes == 2);
  CHECK_THAT(analysis.met_again_example, Contains("elsewhere/results.jsonl line 1"));
}

TEST_CASE("the order in which rows come makes no difference") {
  const auto numbers = [](bool reversed) {
    Study study = four_arcs();
    if (reversed) std::reverse(study.episodes().rows.begin(), study.episodes().rows.end());
    const Analysis analysis = study.analyse();
    const ConditionMeasures& facts = *analysis.cells.front().find("C4");
    return std::tuple(*facts.cost_usd.value(), facts.h1->difference->interval, facts.h1->p_holm);
  };
  CHECK(numbers(false) == numbers(true));
}

TEST_CASE("rows without an outcome are left out and counted") {
  Study study;
  study.add("C4", "a", true, true);
  study.add("C4", "b", true, true).outcome = std::nullopt;
  const Analysis analysis = study.analyse();
  CHECK(analysis.episodes == 1);
  CHECK(analysis.not_scored[static_cast<std::size_t>(NotScored::no_outcome)] == 1);
}

TEST_CASE("a declared family is adjusted over all its comparisons") {
  Study study = four_arcs();
  AnalysisOptions options;
  options.families = parse_families(R"({"families": [{"name": "mine", "comparisons": [
      {"first": "C4", "second": "C0"}, {"first": "C1", "second": "C0"}, {"first": "C4", "second": "C1"}]}]})",
                                    "families.json");
  const Analysis analysis = study.analyse(options);
  REQUIRE(analysis.families.size() == 1);
  const std::vector<PlacedComparison>& all = analysis.families[0].comparisons;
  REQUIRE(all.size() == 3);
  CHECK(all[0].place == "d8-easy");
  CHECK(all[2].comparison.difference->value == -0.25);
  // The smallest p of three is multiplied by three.
  CHECK(*all[1].comparison.p_holm == Approx(std::min(1.0, 3 * *all[1].comparison.difference->p)));
}

TEST_CASE("faults of a family file name their place") {
  const auto fault = [](const std::string& family) -> std::string {
    try {
      (void)parse_families(R"({"families": [)" + family + "]}", "f.json");
    } catch (const memuse::Error& error) {
      CHECK(error.code() == memuse::ExitCode::usage);
      return error.what();
    }
    return "none";
  };
  const std::string pair = R"("comparisons": [{"first": "C4", "second": "C0"}])";
  CHECK(fault(R"({"name": "a", )" + pair + "}") == "none");
  CHECK_THAT(fault(R"({"name": "a", "tier": ["hard"], )" + pair + "}"),
             Contains("f.json: families[0]: unknown key `tier`") && Contains("tiers"));
  CHECK_THAT(fault(R"({"name": "H1", )" + pair + "}"), Contains("families[0].name") && Contains("built in"));
  CHECK_THAT(fault(R"({"name": "a", "comparisons": []})"), Contains("families[0].comparisons: must be a list"));
  CHECK_THAT(fault(R"({"name": "a", "comparisons": [{"first": "C4", "second": "C4"}]})"),
             Contains("comparisons[0]: a side is compared with itself"));
  CHECK_THAT(fault(R"({"name": "a", "over": "cells", )" + pair + "}"), Contains("families[0].over: must be `cell`"));
  CHECK_THAT(fault(R"({"name": "a", "comparisons": [{"first": "C4", "second":
                      {"condition": "C4", "corruption": {"mode": "stale", "rate": 2}}}]})"),
             Contains("comparisons[0].second.corruption.rate: must be a number from 0 to 1"));
  CHECK_THAT(fault(R"({"name": "a", )" + pair + R"(}, {"name": "a", )" + pair + "}"),
             Contains("families[1].name: `a` is declared twice"));
  CHECK_THAT(fault(R"({"name": )"), Contains("f.json: no JSON near byte"));
}

TEST_CASE("rows come from episodes of any format") {
  memuse::Episode episode;
  episode.id = "e1";
  episode.task_id = "t1";
  episode.configuration = "cards";
  episode.run = "r1";
  NameTable names;
  CHECK_FALSE(scored(episode, names));  // no probe
  episode.probe.emplace();
  CHECK_FALSE(scored(episode, names));  // it does not say whether the task depends
  episode.probe->dependent = true;
  episode.probe->corruption = memuse::Corruption{"none", 0.0};
  const auto row = scored(episode, names);
  REQUIRE(row);
  CHECK(row->condition == "cards");
  CHECK(row->seed == "r1");
  CHECK(row->arc == "t1");
  CHECK(row->directory.empty());
  CHECK(row->setting.clean());
  episode.probe->corruption->mode = "";
  CHECK(scored(episode, names)->setting.clean());
  CHECK_FALSE(row->outcome);
  CHECK_FALSE(row->tokens);
  CHECK_FALSE(row->cost_usd());
  CHECK(row->memory_tokens == 0);

  episode.run = "d8-easy/3";
  episode.seed = "3";
  memuse::Step step;
  step.usage.input = 10;
  step.usage.output = 5;
  step.cost_usd = 0.25;
  episode.steps = {step, step};
  memuse::SideCall side;
  side.usage.input = 7;
  side.cost_usd = 0.5;
  episode.side_calls = {side};
  const auto spending = scored(episode, names);
  REQUIRE(spending);
  CHECK(spending->directory == "d8-easy");
  CHECK(spending->tokens == 30);
  CHECK(spending->memory_tokens == 7);
  CHECK(spending->cost_usd() == 1.0);
}

TEST_CASE("arcs of two directories stay apart where the domain is not recorded") {
  Study study;
  for (const char* directory : {"one", "two"}) {
    for (const char* condition : {"C2", "C4"}) {
      ScoredEpisode& row = study.add(condition, "arc0-000", true, condition[1] == '4');
      row.directory = directory;
      row.domain = "";
      row.tier = "hard";
      row.seed = directory;
    }
  }
  AnalysisOptions options;
  options.families = parse_families(
      R"({"families": [{"name": "mine", "over": "model", "comparisons": [{"first": "C4", "second": "C2"}]}]})", "f");
  const Analysis analysis = study.analyse(options);
  CHECK(analysis.cells.size() == 2);
  CHECK(analysis.pools.empty());
  REQUIRE(analysis.hard_tier.size() == 2);
  CHECK(analysis.hard_tier[1].comparison.difference->arcs == 2);
  CHECK(analysis.families[0].comparisons[0].comparison.difference->arcs == 2);
}

TEST_CASE("rankings that differ in ties alone are not reversed") {
  Study study;
  study.add("C0", "a", true, false);
  study.add("C1", "a", true, true).agent_cost_usd = 0.005;
  study.add("C4", "a", true, true).agent_cost_usd = 0.002;
  const Analysis analysis = study.analyse();
  REQUIRE(analysis.cells.front().rankings);
  const Rankings& rankings = *analysis.cells.front().rankings;
  CHECK(rankings.differ());
  CHECK_FALSE(rankings.reversed);
  CHECK(rankings.success_ranks == std::vector<std::uint64_t>{1, 1});
  CHECK(rankings.by_camu == std::vector<std::string>{"C4", "C1"});
  CHECK(rankings.camu_ranks == std::vector<std::uint64_t>{1, 2});
}
